with unioned as (
    {{ all_regions('loans') }}
)
select {{ listed(['region', 'loan_id', 'member_id', 'book_id']) }}, lent_at, returned_at,
    case when returned_at is null then 1 else 0 end as is_open
from unioned
