//! JSON as people edit it: an object a line a field, what holds no object on one line.

use serde_json::Value;

/// A value that stands on one line: a plain one, a list of such, an object of few of them.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_short) && value.to_string().len() <= 100,
        Value::Object(map) => {
            map.values().all(|v| !v.is_object() && is_short(v)) && value.to_string().len() <= 100
        }
        _ => true,
    }
}

fn line(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(line).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if !map.is_empty() => {
            let fields: Vec<String> =
                map.iter().map(|(k, v)| format!("{}: {}", Value::from(k.as_str()), line(v))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        plain => plain.to_string(),
    }
}

fn write(value: &Value, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth + 1);
    let (open, close, items): (char, char, Vec<(String, &Value)>) = match value {
        Value::Object(map) if depth < 3 || !is_short(value) => {
            let named = |(k, v)| (format!("{}: ", Value::from(String::clone(k))), v);
            ('{', '}', map.iter().map(named).collect())
        }
        Value::Array(items) if !is_short(value) => {
            ('[', ']', items.iter().map(|v| (String::new(), v)).collect())
        }
        short => {
            out.push_str(&line(short));
            return;
        }
    };
    out.push(open);
    let count = items.len();
    for (i, (name, item)) in items.into_iter().enumerate() {
        out.push('\n');
        out.push_str(&pad);
        out.push_str(&name);
        write(item, depth + 1, out);
        if i + 1 < count {
            out.push(',');
        }
    }
    if count > 0 {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
    out.push(close);
}

/// The value as a text that ends in a line break.
pub(super) fn text(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out.push('\n');
    out
}
