select b.book_id, b.title, coalesce(b.shelf, {{ var('surrogate_of') }}) as shelf
from {{ source('north', 'books') }} as b
