{% macro loan_columns() %}
{{ return(['loan_id', 'member_id', 'book_id', 'lent_at', 'returned_at']) }}
{% endmacro %}

{% macro listed(columns, prefix='') -%}
{% for column in columns %}{{ prefix }}{{ column }}{{ ", " if not loop.last }}{% endfor %}
{%- endmacro %}

{% macro all_regions(table) %}
{%- for region in var('union_regions') %}
select '{{ region }}' as region, loan_id, member_id, book_id, lent_at, returned_at
from {{ source(region, table) }}
{% if not loop.last %}union all{% endif %}
{%- endfor %}
{% endmacro %}
