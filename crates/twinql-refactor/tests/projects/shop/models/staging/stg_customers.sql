select
    id as customer_id,
    first_name || ' ' || last_name as full_name,
    upper(country) as country
from {{ ref('raw_customers') }}
