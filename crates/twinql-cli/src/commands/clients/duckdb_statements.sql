-- The statements that copy the tables of `source` to a SQLite file, one a row, in the order in which they run.
-- Numbers that SQLite has no type for become DOUBLE: as texts they would have no range. Where they are keys they
-- stay texts, since rounding could make two keys one. Views, indexes and other schemas are left out.
WITH tables AS (
    SELECT table_oid, '"' || replace(table_name, '"', '""') || '"' AS name
    FROM duckdb_tables()
    WHERE database_name = 'source' AND schema_name = 'main' AND NOT internal
),
keys AS (
    SELECT table_oid, constraint_index, constraint_text, constraint_column_names AS names
    FROM duckdb_constraints()
    WHERE database_name = 'source' AND schema_name = 'main'
        AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
),
columns AS (
    SELECT
        table_oid,
        column_index,
        '"' || replace(column_name, '"', '""') || '"' AS name,
        CASE
            WHEN data_type IN (
                'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'BOOLEAN'
            ) THEN 'BIGINT'
            WHEN data_type IN ('FLOAT', 'DOUBLE') THEN 'DOUBLE'
            WHEN (data_type LIKE 'DECIMAL(%)' OR data_type IN ('HUGEINT', 'UHUGEINT', 'UBIGINT'))
                AND NOT EXISTS (
                    SELECT 1 FROM keys
                    WHERE keys.table_oid = c.table_oid AND list_contains(keys.names, c.column_name)
                ) THEN 'DOUBLE'
            WHEN data_type = 'BLOB' THEN 'BLOB'
            ELSE 'VARCHAR'
        END AS kind
    FROM duckdb_columns() AS c
    WHERE database_name = 'source' AND schema_name = 'main' AND NOT internal
),
lists AS (
    SELECT
        table_oid,
        string_agg(name || ' ' || kind, ', ' ORDER BY column_index) AS declared,
        string_agg('CAST(' || name || ' AS ' || kind || ')', ', ' ORDER BY column_index) AS cast_columns
    FROM columns
    GROUP BY table_oid
),
constraints AS (
    SELECT table_oid, string_agg(', ' || constraint_text, '' ORDER BY constraint_index) AS declared
    FROM keys
    GROUP BY table_oid
)
SELECT statement
FROM (
    -- A table can only refer to tables that were there before it.
    SELECT
        1 AS part,
        table_oid,
        'CREATE TABLE ' || name || '(' || lists.declared || coalesce(constraints.declared, '') || ')' AS statement
    FROM tables JOIN lists USING (table_oid) LEFT JOIN constraints USING (table_oid)
    UNION ALL
    SELECT 2, table_oid, 'INSERT INTO ' || name || ' SELECT ' || cast_columns || ' FROM source.main.' || name
    FROM tables JOIN lists USING (table_oid)
)
ORDER BY part, table_oid;
