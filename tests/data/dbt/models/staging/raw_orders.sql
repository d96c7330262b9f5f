select cast(id as bigint) as id, cast(placed as timestamp) as placed, cast(country as string) as country, {{ money('price') }} as price
from {{ source('web', 'orders') }}
