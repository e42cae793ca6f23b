{{ config(materialized='incremental', unique_key='view_id') }}

select view_id, user_id, lower(path) as path, viewed_at
from {{ source('app', 'page_views') }}
where path is not null
{% if is_incremental() %}
  and viewed_at > (select max(viewed_at) from {{ this }})
{% endif %}
