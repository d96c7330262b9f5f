select cast(country as string) as country, {{ 'cast(min(placed_on) as string)' }} as since from {{ ref('orders') }} group by 1
