select l.region, b.title, count(*) as loans
from {{ ref('loans') }} l
join {{ ref('library', 'books') }} b on b.book_id = l.book_id
where l.is_open = 1
group by l.region, b.title
