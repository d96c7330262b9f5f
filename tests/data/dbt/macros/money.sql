{% macro money(column) %}cast({{ column }} as decimal(18, 2)){% endmacro %}
{% macro generate_schema_name(custom_schema_name, node) %}{{ target.schema ~ ('_' ~ custom_schema_name if custom_schema_name else '') }}{% endmacro %}
