{{ config(materialized='ephemeral') }}
select id, placed from {{ ref('raw_orders') }} where placed > timestamp '2026-01-01 00:00:00'
