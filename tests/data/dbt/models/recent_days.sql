{{- config(partition_by=['days(id)', 'truncate(2, country)']) -}}
select r.id, r.placed, c.country
from {{ ref('recent') }} as r
{%- if var('rates', true) %}
join {{ ref('rates') }} as c on true
{%- endif %}
where iceberg_bucket(r.id, 16) = {{ var('bucket', 3) }}
