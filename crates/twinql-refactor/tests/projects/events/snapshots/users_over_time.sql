{% snapshot users_over_time %}
{{ config(target_schema='snapshots', unique_key='user_id', strategy='timestamp', updated_at='changed_at') }}
select user_id, country, changed_at from {{ source('app', 'users') }}
{% endsnapshot %}
