//! Classic metrics, and the statistics that compare metrics.
