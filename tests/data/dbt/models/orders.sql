{{ config(partition_by=['days(placed_at)', 'bucket(16, id)'], alias='orders_v2', schema='mart') }}

{% set columns = ['id', 'country'] %}
select
  {% for column in columns %}{{ column }},
  {% endfor %}
  placed as placed_on,
  {{ money('price') }} as price
from {{ ref('raw_orders') }}
{% if is_incremental() %}
where placed > (select max(placed_on) from {{ this }})
{% endif %}
