//! Web pages: their words, without markup, scripts and styles.

use cairn_domain::Extraction;

/// Characters of a line of the text.
const LINE_WIDTH: usize = 100;

pub(crate) fn text(bytes: &[u8]) -> Result<Extraction, String> {
    let text = html2text::config::plain_no_decorate()
        .string_from_read(bytes, LINE_WIDTH)
        .map_err(|error| format!("it cannot be read as a web page: {error}"))?;
    Ok(Extraction { pages: vec![text], ..Extraction::default() })
}

#[cfg(test)]
mod tests {
    #[test]
    fn markup_and_scripts_are_left_out() {
        let page = b"<html><head><style>p{color:red}</style><script>alert(1)</script></head>
            <body><h1>Kiln log</h1><p>The glaze <b>cracked</b> at 1240&deg;C.</p></body></html>";
        let found = super::text(page).expect("a text");
        let text = &found.pages[0];
        assert!(text.contains("Kiln log") && text.contains("The glaze cracked at 1240°C."), "{text}");
        assert!(!text.contains("alert") && !text.contains("color"), "{text}");
    }
}
