{{ config(materialized='table') }}

{% set states = var('paid_states') %}

with orders as (
    select * from {{ ref('stg_orders') }}
), totals as (
    select
        customer_id,
        min(ordered_on) as first_order,
        count(*) as orders,
        {%- for state in states %}
        sum(case when state = '{{ state }}' then amount else 0 end) as {{ state }}_amount
        {%- if not loop.last %},{% endif %}
        {%- endfor %}
    from orders
    group by customer_id
)

select
    c.customer_id,
    c.full_name,
    t.first_order,
    coalesce(t.orders, 0) as orders,
    t.paid_amount,
    t.shipped_amount
from {{ ref('stg_customers') }} as c
left join totals as t on t.customer_id = c.customer_id
