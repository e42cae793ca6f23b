with source as (
    select * from {{ ref('raw_orders') }}
)

select
    id as order_id,
    customer_id,
    ordered_on,
    state,
    {{ in_units('cents') }} as amount
from source
where ordered_on >= '{{ var("first_day") }}'
