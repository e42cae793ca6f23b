{% macro in_units(column, digits=2) -%}
    round({{ column }} / 100.0, {{ digits }})
{%- endmacro %}
