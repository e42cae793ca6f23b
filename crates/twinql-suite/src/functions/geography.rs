//! Geographies on a sphere, as BigQuery and Snowflake have them: edges are the shortest ways between their ends, and a polygon is
//! the smaller of the two parts that its ring makes of the sphere. They are kept as well-known text
//! (<https://cloud.google.com/bigquery/docs/geospatial-data>, <https://docs.snowflake.com/en/sql-reference/data-types-geospatial>).

use serde_json::Value as Json;
use twinql_sql::Value;

use super::json::document;
use super::{Returned, Stop, exactly, number, real, truth};

/// Metres from the middle of the earth to its surface, as both systems have it.
const RADIUS: f64 = 6_371_010.0;
/// Metres that are no distance.
const NEAR: f64 = 1e-3;
/// Points that a geography may have.
const MAX_POINTS: usize = 10_000;

/// Longitude and latitude in degrees.
type Place = [f64; 2];
/// A place as a direction from the middle.
type Direction = [f64; 3];

/// One part of a geography.
enum Part {
    Point(Place),
    Line(Vec<Place>),
    /// The outer ring, and those of the holes.
    Polygon(Vec<Vec<Place>>),
}

struct Geography(Vec<Part>);

impl Geography {
    fn of(value: &Value) -> Option<Geography> {
        let parts = match value {
            Value::Blob(bytes) => of_binary(&mut bytes.as_slice())?,
            Value::Text(text) => {
                let text = text.trim();
                match document(value) {
                    Some(json) => of_json(&json)?,
                    None if text.bytes().all(|b| b.is_ascii_hexdigit()) => {
                        of_binary(&mut bytes_of(text)?.as_slice())?
                    }
                    None => of_text(text.split_once(';').map_or(text, |(_, behind)| behind))?,
                }
            }
            _ => return None,
        };
        let is_place = |p: &Place| p[1].abs() <= 90.0 && p[0].is_finite();
        let geography = Geography(parts);
        let count: usize = geography.lines().map(<[Place]>::len).sum();
        (count <= MAX_POINTS && geography.lines().flatten().all(is_place)).then_some(geography)
    }

    /// The runs of places of all parts.
    fn lines(&self) -> impl Iterator<Item = &[Place]> {
        self.0.iter().flat_map(|part| -> Box<dyn Iterator<Item = &[Place]>> {
            match part {
                Part::Point(place) => Box::new(std::iter::once(std::slice::from_ref(place))),
                Part::Line(line) => Box::new(std::iter::once(line.as_slice())),
                Part::Polygon(rings) => Box::new(rings.iter().map(Vec::as_slice)),
            }
        })
    }

    fn edges(&self) -> impl Iterator<Item = (Direction, Direction)> {
        self.lines().flat_map(|line| line.windows(2)).filter_map(|two| match two {
            [a, b] => Some((direction(a), direction(b))),
            _ => None,
        })
    }

    fn places(&self) -> impl Iterator<Item = Direction> {
        self.lines().flatten().map(direction)
    }

    /// Whether a place lies within one of the polygons, not minding their edges.
    fn surrounds(&self, place: &Direction) -> bool {
        self.0.iter().any(|part| match part {
            Part::Polygon(rings) => match rings.split_first() {
                Some((outer, holes)) => within(outer, place) && !holes.iter().any(|hole| within(hole, place)),
                None => false,
            },
            Part::Point(_) | Part::Line(_) => false,
        })
    }

    /// Metres from a place to the nearest point or edge.
    fn apart(&self, place: &Direction) -> f64 {
        let to_edges = self.edges().map(|(a, b)| to_edge(place, &a, &b));
        let to_places = self.places().map(|other| angle(place, &other));
        RADIUS * to_edges.chain(to_places).fold(f64::INFINITY, f64::min)
    }

    fn meets(&self, other: &Geography) -> bool {
        self.places().any(|p| other.surrounds(&p) || other.apart(&p) < NEAR)
            || other.places().any(|p| self.surrounds(&p) || self.apart(&p) < NEAR)
            || self.edges().any(|(a, b)| other.edges().any(|(c, d)| crosses(&a, &b, &c, &d)))
    }

    /// Whether every place of the other lies within, or on an edge where edges count.
    fn holds(&self, other: &Geography, with_edges: bool) -> bool {
        let on_edge = |p: &Direction| self.apart(p) < NEAR;
        let inside = |p: &Direction| match on_edge(p) {
            true => {
                with_edges
                    || !matches!(other.0.as_slice(), [Part::Point(_)])
                    || self.0.iter().all(|p| matches!(p, Part::Point(_)))
            }
            false => self.surrounds(p),
        };
        other.places().all(|p| inside(&p))
            && !self.edges().any(|(a, b)| other.edges().any(|(c, d)| crosses(&a, &b, &c, &d)))
    }

    fn written(&self) -> String {
        let places = |line: &[Place]| {
            let all: Vec<String> = line.iter().map(|[x, y]| format!("{x} {y}")).collect();
            format!("({})", all.join(", "))
        };
        let part = |part: &Part| match part {
            Part::Point(place) => format!("POINT{}", places(std::slice::from_ref(place))),
            Part::Line(line) => format!("LINESTRING{}", places(line)),
            Part::Polygon(rings) => {
                let rings: Vec<String> = rings.iter().map(|ring| places(ring)).collect();
                format!("POLYGON({})", rings.join(", "))
            }
        };
        match self.0.as_slice() {
            [one] => part(one),
            parts => {
                let parts: Vec<String> = parts.iter().map(part).collect();
                format!("GEOMETRYCOLLECTION({})", parts.join(", "))
            }
        }
    }
}

fn direction([x, y]: &Place) -> Direction {
    let (x, y) = (x.to_radians(), y.to_radians());
    [y.cos() * x.cos(), y.cos() * x.sin(), y.sin()]
}

fn dot(a: &Direction, b: &Direction) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn cross([a, b, c]: &Direction, [d, e, f]: &Direction) -> Direction {
    [b * f - c * e, c * d - a * f, a * e - b * d]
}

fn angle(a: &Direction, b: &Direction) -> f64 {
    let normal = cross(a, b);
    dot(&normal, &normal).sqrt().atan2(dot(a, b))
}

/// The angle between a place and the nearest point of an edge.
fn to_edge(place: &Direction, a: &Direction, b: &Direction) -> f64 {
    let normal = cross(a, b);
    let length = dot(&normal, &normal).sqrt();
    let beside = dot(&cross(&normal, a), place) > 0.0 && dot(&cross(b, &normal), place) > 0.0;
    match beside && length > 1e-15 {
        true => (dot(&normal, place) / length).abs().min(1.0).asin(),
        false => angle(place, a).min(angle(place, b)),
    }
}

/// Whether two edges cross between their ends.
fn crosses(a: &Direction, b: &Direction, c: &Direction, d: &Direction) -> bool {
    let (first, second) = (cross(a, b), cross(c, d));
    let sides = |normal: &Direction, p: &Direction, q: &Direction| dot(normal, p) * dot(normal, q);
    let middle = |p: &Direction, q: &Direction| [p[0] + q[0], p[1] + q[1], p[2] + q[2]];
    sides(&first, c, d) < -1e-24 && sides(&second, a, b) < -1e-24 && dot(&middle(a, b), &middle(c, d)) > 0.0
}

/// Whether a ring goes round a place, on the side of the ring's own middle.
fn within(ring: &[Place], place: &Direction) -> bool {
    let ring: Vec<Direction> = ring.iter().map(direction).collect();
    let middle = ring.iter().fold([0.0; 3], |[x, y, z], d| [x + d[0], y + d[1], z + d[2]]);
    if dot(&middle, place) <= 0.0 {
        return false;
    }
    let turns: f64 = ring
        .windows(2)
        .map(|two| match two {
            [a, b] => {
                let (to_a, to_b) = (cross(place, a), cross(place, b));
                dot(place, &cross(&to_a, &to_b)).atan2(dot(&to_a, &to_b))
            }
            _ => 0.0,
        })
        .sum();
    turns.abs() > std::f64::consts::PI
}

/// The area within a ring of a sphere of radius 1.
fn area_of(ring: &[Place]) -> f64 {
    let ring: Vec<Direction> = ring.iter().map(direction).collect();
    let Some((first, rest)) = ring.split_first() else { return 0.0 };
    let triangle = |a: &Direction, b: &Direction| {
        2.0 * dot(first, &cross(a, b)).atan2(1.0 + dot(first, a) + dot(a, b) + dot(b, first))
    };
    let whole: f64 = rest.windows(2).map(|two| if let [a, b] = two { triangle(a, b) } else { 0.0 }).sum();
    whole.abs().min(4.0 * std::f64::consts::PI - whole.abs())
}

/// `POINT(1 2)`, `POLYGON((0 0, 1 0, 1 1, 0 0))`, their MULTI… and collections.
fn of_text(text: &str) -> Option<Vec<Part>> {
    let open = text.find('(')?;
    let inner = text.get(open + 1..)?.trim_end().strip_suffix(')')?;
    let place = |pair: &str| -> Option<Place> {
        let numbers: Vec<f64> = pair.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        Some([*numbers.first()?, *numbers.get(1)?])
    };
    let line = |list: &str| -> Option<Vec<Place>> { list.split(',').map(place).collect() };
    let unwrapped =
        |part: &str| -> Option<String> { Some(part.trim().strip_prefix('(')?.strip_suffix(')')?.to_owned()) };
    let rings = |list: &str| -> Option<Vec<Vec<Place>>> {
        pieces(list).iter().map(|ring| line(&unwrapped(ring)?)).collect()
    };
    match text.get(..open)?.trim().to_ascii_uppercase().as_str() {
        "POINT" => Some(vec![Part::Point(place(inner)?)]),
        "LINESTRING" => Some(vec![Part::Line(line(inner)?)]),
        "POLYGON" => Some(vec![Part::Polygon(rings(inner)?)]),
        "MULTIPOINT" => {
            line(&inner.replace(['(', ')'], "")).map(|all| all.into_iter().map(Part::Point).collect())
        }
        "MULTILINESTRING" => Some(rings(inner)?.into_iter().map(Part::Line).collect()),
        "MULTIPOLYGON" => pieces(inner).iter().map(|p| Some(Part::Polygon(rings(&unwrapped(p)?)?))).collect(),
        "GEOMETRYCOLLECTION" => {
            let all: Option<Vec<Vec<Part>>> = pieces(inner)
                .iter()
                // Nested ones would go as deep as the text.
                .map(|p| of_text(p.trim()).filter(|_| !p.to_ascii_uppercase().contains("COLLECTION")))
                .collect();
            Some(all?.into_iter().flatten().collect())
        }
        _ => None,
    }
}

/// What stands between commas outside of parentheses.
fn pieces(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0_usize, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                out.extend(list.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    out.extend(list.get(from..));
    out
}

/// GeoJSON.
fn of_json(json: &Json) -> Option<Vec<Part>> {
    let place = |json: &Json| -> Option<Place> { Some([json.get(0)?.as_f64()?, json.get(1)?.as_f64()?]) };
    let line = |json: &Json| -> Option<Vec<Place>> { json.as_array()?.iter().map(place).collect() };
    let rings = |json: &Json| -> Option<Vec<Vec<Place>>> { json.as_array()?.iter().map(line).collect() };
    let at = json.get("coordinates");
    match json.get("type")?.as_str()? {
        "Point" => Some(vec![Part::Point(place(at?)?)]),
        "LineString" => Some(vec![Part::Line(line(at?)?)]),
        "Polygon" => Some(vec![Part::Polygon(rings(at?)?)]),
        "MultiPoint" => Some(line(at?)?.into_iter().map(Part::Point).collect()),
        "MultiLineString" => Some(rings(at?)?.into_iter().map(Part::Line).collect()),
        "MultiPolygon" => at?.as_array()?.iter().map(|p| Some(Part::Polygon(rings(p)?))).collect(),
        _ => None,
    }
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pair = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    digits.len().is_multiple_of(2).then(|| (0..digits.len()).step_by(2).map(pair).collect())?
}

/// Well-known binary of points, lines and polygons.
fn of_binary(bytes: &mut &[u8]) -> Option<Vec<Part>> {
    let little = take::<1>(bytes)? == [1];
    let count = |bytes: &mut &[u8]| -> Option<usize> {
        let four = take::<4>(bytes)?;
        let n = if little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) };
        usize::try_from(n).ok().filter(|n| *n <= MAX_POINTS)
    };
    let coordinate = |bytes: &mut &[u8]| -> Option<f64> {
        let eight = take::<8>(bytes)?;
        Some(if little { f64::from_le_bytes(eight) } else { f64::from_be_bytes(eight) })
    };
    let place = |bytes: &mut &[u8]| -> Option<Place> { Some([coordinate(bytes)?, coordinate(bytes)?]) };
    let line =
        |bytes: &mut &[u8]| -> Option<Vec<Place>> { (0..count(bytes)?).map(|_| place(bytes)).collect() };
    match count(bytes)? {
        1 => Some(vec![Part::Point(place(bytes)?)]),
        2 => Some(vec![Part::Line(line(bytes)?)]),
        3 => {
            let rings: Option<Vec<Vec<Place>>> = (0..count(bytes)?).map(|_| line(bytes)).collect();
            Some(vec![Part::Polygon(rings?)])
        }
        _ => None,
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

/// What an argument is; NULL for what is no geography.
fn geography(value: &Value) -> Result<Geography, Stop> {
    Geography::of(value).ok_or(Stop::Null)
}

/// TO_GEOGRAPHY, ST_GEOGFROMTEXT, ST_GEOGFROMWKB: well-known text or binary, or GeoJSON; NULL for what is none.
pub(super) fn read(args: &[Value]) -> Returned {
    let [value] = exactly(args)?;
    Ok(Value::Text(geography(value)?.written()))
}

/// ST_GEOGPOINT: a point by its longitude and latitude.
pub(super) fn point(args: &[Value]) -> Returned {
    let [x, y] = exactly(args)?;
    let (x, y) = number(x).zip(number(y)).ok_or(Stop::Null)?;
    if !(-90.0..=90.0).contains(&y) {
        return Err("a latitude lies between -90 and 90".into());
    }
    Ok(Value::Text(format!("POINT({x} {y})")))
}

/// ST_X and ST_Y of a point.
pub(super) fn coordinate(args: &[Value], at: usize) -> Returned {
    let [value] = exactly(args)?;
    match geography(value)?.0.as_slice() {
        [Part::Point(place)] => place.get(at).map(|n| real(*n)).ok_or(Stop::Null),
        _ => Err(Stop::Null),
    }
}

fn both(args: &[Value]) -> Result<(Geography, Geography), Stop> {
    let [a, b] = exactly(args)?;
    Ok((geography(a)?, geography(b)?))
}

/// ST_DISTANCE: metres between the nearest points.
pub(super) fn distance(args: &[Value]) -> Returned {
    let (a, b) = both(args)?;
    if a.meets(&b) {
        return Ok(real(0.0));
    }
    let nearest =
        |of: &Geography, to: &Geography| of.places().map(|p| to.apart(&p)).fold(f64::INFINITY, f64::min);
    Ok(real(nearest(&a, &b).min(nearest(&b, &a))))
}

/// ST_INTERSECTS.
pub(super) fn intersects(args: &[Value]) -> Returned {
    let (a, b) = both(args)?;
    Ok(truth(a.meets(&b)))
}

/// ST_CONTAINS and ST_COVERS, for which a point on an edge is one of the geography.
pub(super) fn contains(args: &[Value], with_edges: bool) -> Returned {
    let (a, b) = both(args)?;
    Ok(truth(a.holds(&b, with_edges)))
}

/// ST_AREA: square metres.
pub(super) fn area(args: &[Value]) -> Returned {
    let [value] = exactly(args)?;
    let of_part = |part: &Part| match part {
        Part::Polygon(rings) => {
            rings.iter().enumerate().map(|(i, r)| if i == 0 { area_of(r) } else { -area_of(r) }).sum()
        }
        Part::Point(_) | Part::Line(_) => 0.0,
    };
    let whole: f64 = geography(value)?.0.iter().map(of_part).sum();
    Ok(real(whole * RADIUS * RADIUS))
}

/// ST_LENGTH of lines, ST_PERIMETER of polygons: metres.
pub(super) fn length(args: &[Value], of_polygons: bool) -> Returned {
    let [value] = exactly(args)?;
    let run = |line: &[Place]| -> f64 {
        line.windows(2)
            .map(|two| if let [a, b] = two { angle(&direction(a), &direction(b)) } else { 0.0 })
            .sum()
    };
    let of_part = |part: &Part| match part {
        Part::Line(line) if !of_polygons => run(line),
        Part::Polygon(rings) if of_polygons => rings.iter().map(|ring| run(ring)).sum(),
        _ => 0.0,
    };
    let whole: f64 = geography(value)?.0.iter().map(of_part).sum();
    Ok(real(whole * RADIUS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_place_in_all_forms() {
        // WKB of POINT(1 2).
        let binary = "0101000000000000000000F03F0000000000000040";
        for form in ["POINT(1 2)", "SRID=4326;POINT(1 2)", r#"{"type":"Point","coordinates":[1,2]}"#, binary]
        {
            let read = read(&[Value::Text(form.to_owned())]);
            assert_eq!(read, Ok(Value::Text("POINT(1 2)".to_owned())), "{form}");
        }
        assert_eq!(read(&[Value::Text("PLACE(1 2)".to_owned())]), Err(Stop::Null));
    }

    #[test]
    fn a_quarter_of_the_northern_half_is_an_eighth_of_the_sphere() {
        let eighth = Value::Text("POLYGON((0 0, 90 0, 0 90, 0 0))".to_owned());
        let Ok(Value::Real(found)) = area(std::slice::from_ref(&eighth)) else { unreachable!() };
        let sphere = 4.0 * std::f64::consts::PI * RADIUS * RADIUS;
        assert!((found.0 / sphere - 0.125).abs() < 1e-12);
        for (place, inside) in [("POINT(10 10)", true), ("POINT(-10 10)", false), ("POINT(-170 -10)", false)]
        {
            let within = contains(&[eighth.clone(), Value::Text(place.to_owned())], false);
            assert_eq!(within, Ok(truth(inside)), "{place}");
        }
    }
}
