//! A simulated life as one HTML page with SVG charts. The page loads nothing from elsewhere.

use super::result::{RETENTION_BINS, Sample, SimulatedLife};
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 60.0;
const COLORS: [&str; 5] = ["#c8553d", "#588157", "#335c81", "#8d6a9f", "#9aa0a6"];

impl SimulatedLife {
    /// An HTML page with charts, beside the same life without rhythms if that was simulated, too.
    pub fn to_html(&self, title: &str, without: Option<&Self>) -> String {
        html_page(self, title, without)
    }
}

fn html_page(lived: &SimulatedLife, title: &str, without: Option<&SimulatedLife>) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\n\
         <style>body{{font:15px sans-serif;max-width:860px;margin:2em auto}}td{{padding:.15em 1em .15em 0}}</style>\n\
         <h1>{title}</h1>\n<table>\n"
    );
    let beside = without.map_or_else(Vec::new, SimulatedLife::rows);
    if !beside.is_empty() {
        html.push_str("<tr><th></th><th>with rhythms</th><th>without</th></tr>\n");
    }
    for (at, (what, measured)) in lived.rows().into_iter().enumerate() {
        let other = beside.get(at).map_or_else(String::new, |(_, other)| format!("<td>{other}</td>"));
        let _ = writeln!(html, "<tr><td>{}</td><td>{measured}</td>{other}</tr>", what.replace('<', "&lt;"));
    }
    html.push_str("</table>\n");
    let kept = ["working", "episodic", "semantic", "dormant", "replaced or deprecated"];
    let count = |place: usize| move |sample: &Sample| sample.kept[place] as f64;
    let lines: Vec<ChartLine<'_>> =
        kept.into_iter().enumerate().map(|(at, name)| (name, series(lived, count(at)))).collect();
    html.push_str(&chart("Memories, by how they are kept", &lines));
    let mean = |place: usize| move |sample: &Sample| sample.means[place];
    html.push_str(&chart(
        "Active memories: mean retention and utility",
        &[("retention", series(lived, mean(0))), ("utility", series(lived, mean(2)))],
    ));
    html.push_str(&chart(
        "Active memories: mean stability in days",
        &[("stability", series(lived, mean(1)))],
    ));
    html.push_str(&chart(
        "Changed by rhythms and let go, between two samples",
        &[
            ("changed", series(lived, |sample| sample.changed as f64)),
            ("let go", series(lived, |sample| sample.let_go as f64)),
        ],
    ));
    html.push_str(&histogram("Active memories by retention, at the end", &lived.histogram));
    if let Some(without) = without {
        html.push_str(&histogram("… and without rhythms", &without.histogram));
    }
    html.push_str("<h2>What each step changed</h2>\n<table>\n");
    for (step, changed) in &lived.steps {
        let _ = writeln!(html, "<tr><td>{step}</td><td>{changed}</td></tr>");
    }
    html + "</table>\n</html>\n"
}

/// A name, and the value on each day.
type ChartLine<'a> = (&'a str, Vec<(f64, f64)>);

fn series(lived: &SimulatedLife, value: impl Fn(&Sample) -> f64) -> Vec<(f64, f64)> {
    lived.samples.iter().map(|sample| (f64::from(sample.day), value(sample))).collect()
}

fn chart(title: &str, lines: &[ChartLine<'_>]) -> String {
    let points = || lines.iter().flat_map(|(_, points)| points);
    let most = points().map(|(_, value)| *value).fold(f64::MIN_POSITIVE, f64::max);
    let last = points().map(|(day, _)| *day).fold(1.0, f64::max);
    let mut svg = chart_head(title);
    for step in 0..=4 {
        let (value, y) = (most * f64::from(step) / 4.0, HEIGHT * (1.0 - f64::from(step) / 4.0) + 20.0);
        let shown = if most >= 20.0 { format!("{value:.0}") } else { format!("{value:.2}") };
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{shown}</text>",
            LEFT + WIDTH,
            LEFT - 6.0,
            y + 4.0
        );
    }
    for (at, (name, points)) in lines.iter().enumerate() {
        let color = COLORS[at % COLORS.len()];
        let place = |(day, value): &(f64, f64)| {
            format!("{:.1},{:.1}", LEFT + WIDTH * day / last, HEIGHT * (1.0 - value / most) + 20.0)
        };
        let path: Vec<String> = points.iter().map(place).collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"{color}\">{name}</text>",
            path.join(" "),
            LEFT + 10.0 + 150.0 * at as f64,
            HEIGHT + 48.0
        );
    }
    chart_tail(&svg, &format!("day {last:.0}"))
}

fn histogram(title: &str, boxes: &[u64; RETENTION_BINS]) -> String {
    let most = boxes.iter().copied().max().unwrap_or(0).max(1) as f64;
    let mut svg = chart_head(title);
    let width = WIDTH / RETENTION_BINS as f64;
    for (at, count) in boxes.iter().enumerate() {
        let (height, x) = (HEIGHT * *count as f64 / most, LEFT + width * at as f64);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\">{count}</text>",
            HEIGHT - height + 20.0,
            width - 3.0,
            COLORS[2],
            x + width / 2.0,
            HEIGHT - height + 15.0
        );
    }
    chart_tail(&svg, "1.0")
}

fn chart_head(title: &str) -> String {
    format!(
        "<h2>{title}</h2>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n",
        LEFT + WIDTH + 20.0,
        HEIGHT + 60.0
    )
}

fn chart_tail(svg: &str, last: &str) -> String {
    format!(
        "{svg}<text x=\"{LEFT}\" y=\"{0}\">0</text><text x=\"{1}\" y=\"{0}\" text-anchor=\"end\">{last}</text></svg>\n",
        HEIGHT + 34.0,
        LEFT + WIDTH
    )
}
