select c.country, sum(t.orders) as orders
from {{ ref('customers') }} as t
join {{ ref('stg_customers') }} as c using (customer_id)
group by 1
