{% set common = {'partition_by': ['days(country)'], 'file_format': 'iceberg'} %}
{{ config(**common) }}
select cast(country as string) as country from {{ ref('rates') }}
