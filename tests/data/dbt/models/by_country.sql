select day, country, price from {{ ref('daily') }}
