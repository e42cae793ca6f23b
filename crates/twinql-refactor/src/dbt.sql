{# Macros that dbt has in all projects: https://docs.getdbt.com/reference/dbt-jinja-functions/cross-database-macros #}
{% macro default__any_value(expression) -%} any_value({{ expression }}) {%- endmacro %}
{% macro default__bool_or(expression) -%} bool_or({{ expression }}) {%- endmacro %}
{% macro bigquery__bool_or(expression) -%} logical_or({{ expression }}) {%- endmacro %}
{% macro snowflake__bool_or(expression) -%} boolor_agg({{ expression }}) {%- endmacro %}
{% macro default__cast_bool_to_text(field) -%} cast({{ field }} as {{ dbt.type_string() }}) {%- endmacro %}
{% macro default__concat(fields) -%} {{ fields | join(' || ') }} {%- endmacro %}
{% macro default__date_trunc(datepart, date) -%} date_trunc('{{ datepart }}', {{ date }}) {%- endmacro %}
{% macro bigquery__date_trunc(datepart, date) -%} timestamp_trunc(cast({{ date }} as timestamp), {{ datepart }}) {%- endmacro %}
{% macro default__dateadd(datepart, interval, from_date_or_timestamp) -%} dateadd({{ datepart }}, {{ interval }}, {{ from_date_or_timestamp }}) {%- endmacro %}
{% macro redshift__dateadd(datepart, interval, from_date_or_timestamp) -%} dateadd({{ datepart }}, {{ interval }}, {{ from_date_or_timestamp }}) {%- endmacro %}
{% macro postgres__dateadd(datepart, interval, from_date_or_timestamp) -%} {{ from_date_or_timestamp }} + ({{ interval }}) * interval '1 {{ datepart }}' {%- endmacro %}
{% macro duckdb__dateadd(datepart, interval, from_date_or_timestamp) -%} date_add({{ from_date_or_timestamp }}, interval ({{ interval }}) {{ datepart }}) {%- endmacro %}
{% macro bigquery__dateadd(datepart, interval, from_date_or_timestamp) -%} datetime_add(cast({{ from_date_or_timestamp }} as datetime), interval {{ interval }} {{ datepart }}) {%- endmacro %}
{% macro default__escape_single_quotes(expression) -%} {{ expression | replace("'", "''") }} {%- endmacro %}
{% macro default__except() -%} except {%- endmacro %}
{% macro bigquery__except() -%} except distinct {%- endmacro %}
{% macro default__hash(field) -%} md5(cast({{ field }} as {{ dbt.type_string() }})) {%- endmacro %}
{% macro bigquery__hash(field) -%} to_hex(md5(cast({{ field }} as {{ dbt.type_string() }}))) {%- endmacro %}
{% macro default__intersect() -%} intersect {%- endmacro %}
{% macro bigquery__intersect() -%} intersect distinct {%- endmacro %}
{% macro default__length(expression) -%} length({{ expression }}) {%- endmacro %}
{% macro default__position(substring_text, string_text) -%} position({{ substring_text }} in {{ string_text }}) {%- endmacro %}
{% macro bigquery__position(substring_text, string_text) -%} strpos({{ string_text }}, {{ substring_text }}) {%- endmacro %}
{% macro default__replace(field, old_chars, new_chars) -%} replace({{ field }}, {{ old_chars }}, {{ new_chars }}) {%- endmacro %}
{% macro default__right(string_text, length_expression) -%} right({{ string_text }}, {{ length_expression }}) {%- endmacro %}
{% macro default__safe_cast(field, type) -%} cast({{ field }} as {{ type }}) {%- endmacro %}
{% macro bigquery__safe_cast(field, type) -%} safe_cast({{ field }} as {{ type }}) {%- endmacro %}
{% macro snowflake__safe_cast(field, type) -%} try_cast({{ field }} as {{ type }}) {%- endmacro %}
{% macro default__string_literal(value) -%} '{{ value }}' {%- endmacro %}
{% macro default__type_bigint() -%} bigint {%- endmacro %}
{% macro bigquery__type_bigint() -%} int64 {%- endmacro %}
{% macro default__type_boolean() -%} boolean {%- endmacro %}
{% macro default__type_float() -%} float {%- endmacro %}
{% macro bigquery__type_float() -%} float64 {%- endmacro %}
{% macro default__type_int() -%} int {%- endmacro %}
{% macro bigquery__type_int() -%} int64 {%- endmacro %}
{% macro default__type_numeric() -%} numeric(28, 6) {%- endmacro %}
{% macro bigquery__type_numeric() -%} numeric {%- endmacro %}
{% macro default__type_string() -%} text {%- endmacro %}
{% macro bigquery__type_string() -%} string {%- endmacro %}
{% macro spark__type_string() -%} string {%- endmacro %}
{% macro default__type_timestamp() -%} timestamp {%- endmacro %}
