//! Files of this field in and out, and labelled pairs made from them.
