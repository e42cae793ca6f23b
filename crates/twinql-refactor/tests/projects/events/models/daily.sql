select v.viewed_at, u.country, count(distinct v.user_id) as users
from {{ ref('page_views') }} as v
left join {{ ref('users_over_time') }} as u on u.user_id = v.user_id
group by 1, 2
