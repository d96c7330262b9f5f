-- one row a day
{{ config(partition_by=var('by', ['days(country)'])) }}
select {{ dbt.date_trunc('day', 'placed_on') }} as day, cast(country as string) as country, {{ money('sum(price)') }} as price
from {{ ref('orders') }} group by 1, 2
