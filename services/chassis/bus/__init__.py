"""The bus: durable facts, the data plane, logs with a fence, and buckets."""
