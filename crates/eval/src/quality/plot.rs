//! A plot of a retrieval: one group of bars a method, drawn as SVG.

use super::retrieval::RetrievalReport;
use std::fmt::Write;

const BAR: usize = 16;
const GAP: usize = 28;
const LEFT: usize = 190;
const WIDTH: usize = 560;
const COLORS: [&str; 3] = ["#c8553d", "#588157", "#335c81"];

/// The report as an SVG picture: turn R@10, session R@10 and MRR of each method.
pub fn svg(report: &RetrievalReport, title: &str) -> String {
    let group = 3 * BAR + GAP;
    let height = 70 + report.methods.len() * group;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"16\">{}</text>\n",
        LEFT + WIDTH + 70,
        escaped(title)
    );
    for (i, name) in ["turn R@10", "session R@10", "MRR"].into_iter().enumerate() {
        let (x, color) = (LEFT + i * 130, COLORS[i]);
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"40\" width=\"12\" height=\"12\" fill=\"{color}\"/><text x=\"{}\" y=\"51\">{name}</text>",
            x + 18
        );
    }
    for (i, method) in report.methods.iter().enumerate() {
        let top = 70 + i * group;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 10,
            top + 2 * BAR,
            escaped(&method.name)
        );
        let figures = [method.all.turn[2], method.all.session[2], method.all.reciprocal_rank];
        for (j, figure) in figures.into_iter().enumerate() {
            let (y, width) = (top + j * BAR, figure / 100.0 * WIDTH as f64);
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" fill=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"{}\">{figure:.1}</text>",
                BAR - 3,
                COLORS[j],
                LEFT as f64 + width + 6.0,
                y + BAR - 4
            );
        }
    }
    svg + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
