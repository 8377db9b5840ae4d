//! Secrets that give themselves away: tokens with a maker's prefix, key blocks, headers, passwords in addresses.

use super::{
    form::{FormSign, SecretForm},
    look,
    rule::{InnocentRule, SecretRule, SecretVerdict},
};
use crate::pattern::LazyRegex;
use regex::{Captures, Match};

/// Tokens by their makers' prefixes: kind and form. What is fixed in a form is fixed by its maker.
const TOKENS: &[(&str, &str)] = &[
    ("aws access key", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
    ("github token", "gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    ("gitlab token", "gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt)-[A-Za-z0-9_-]{20,64}"),
    ("slack token", "xox[abeoprs]-(?:[0-9]{8,14}-){1,3}[A-Za-z0-9-]{20,64}"),
    ("slack token", "xapp-1-[A-Z0-9]{8,14}-[0-9]{8,14}-[a-f0-9]{60,66}"),
    ("stripe key", "[sr]k_(?:live|test)_[A-Za-z0-9]{16,247}|whsec_[A-Za-z0-9+/]{24,64}"),
    ("anthropic key", "sk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{60,128}"),
    ("openai key", "sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{32,200}|sk-[A-Za-z0-9]{32,64}"),
    ("google key", "AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\\.[A-Za-z0-9_-]{60,600}"),
    ("npm token", "npm_[A-Za-z0-9]{36}"),
    ("pypi token", "pypi-AgE[A-Za-z0-9_-]{50,500}"),
    ("huggingface token", "hf_[A-Za-z0-9]{34}"),
    ("sendgrid key", "SG\\.[A-Za-z0-9_-]{20,24}\\.[A-Za-z0-9_-]{39,50}"),
    ("twilio key", "SK[0-9a-f]{32}"),
    ("discord token", "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}"),
    ("digitalocean token", "do[opr]_v1_[a-f0-9]{64}"),
    ("shopify token", "shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    ("square token", "sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43}"),
    ("databricks token", "dapi[a-f0-9]{32}(?:-[0-9])?"),
    ("linear key", "lin_(?:api|oauth)_[A-Za-z0-9]{40,64}"),
    ("notion key", "ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43}"),
    ("airtable key", "pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}"),
    ("docker token", "dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,40}"),
    ("grafana token", "glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2}"),
    ("vault token", "hv[sb]\\.[A-Za-z0-9_-]{80,300}"),
    ("new relic key", "NRAK-[A-Z0-9]{27}"),
    ("postman key", "PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("sentry token", "sntry[su]_[A-Za-z0-9+/=_-]{60,300}"),
    ("groq key", "gsk_[A-Za-z0-9]{48,60}"),
    ("replicate token", "r8_[A-Za-z0-9]{37}"),
    ("perplexity key", "pplx-[A-Za-z0-9]{40,64}"),
    ("xai key", "xai-[A-Za-z0-9]{70,90}"),
    ("tailscale key", "tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{24,48}"),
    ("age key", "AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("doppler token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}"),
    ("pulumi token", "pul-[a-f0-9]{40}"),
    ("planetscale token", "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}"),
    ("rubygems key", "rubygems_[a-f0-9]{48}"),
    ("figma token", "fig[dour]_[A-Za-z0-9_-]{38,50}"),
    ("supabase token", "sb[ps]_[a-f0-9]{40}"),
    ("atlassian token", "ATATT3[A-Za-z0-9_=-]{100,250}"),
    ("mailgun key", "key-[0-9a-f]{32}"),
    ("mailchimp key", "[0-9a-f]{32}-us[0-9]{1,2}"),
    ("heroku key", "HRKU-[A-Za-z0-9_-]{36,64}"),
    ("cloudflare token", "v1\\.0-[a-f0-9]{24}-[a-f0-9]{140,160}"),
    ("dropbox token", "sl\\.[A-Za-z0-9_-]{60,400}"),
    ("dynatrace token", "dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}"),
    ("facebook token", "EAA[A-Za-z0-9]{60,300}"),
    ("fly token", "fo1_[A-Za-z0-9_-]{43}|FlyV1 fm[12][ar]?_[A-Za-z0-9+/=_,-]{60,600}"),
    ("netlify token", "nfp_[A-Za-z0-9]{36,44}"),
    ("terraform token", "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{60,70}"),
    ("artifactory key", "AKCp[A-Za-z0-9]{60,80}"),
    ("buildkite token", "bkua_[a-f0-9]{40}"),
    ("contentful token", "CFPAT-[A-Za-z0-9_-]{40,50}"),
    ("easypost key", "EZ[AT]K[A-Za-z0-9]{54}"),
    ("hubspot token", "pat-(?:na|eu)[0-9]-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"),
    ("openrouter key", "sk-or-v1-[a-f0-9]{64}"),
    ("langfuse key", "sk-lf-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"),
    ("resend key", "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}"),
    ("jwt", "eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}"),
];

/// Forms that are a secret in their first group only.
const PARTS: &[(&str, &str)] = &[
    ("telegram token", "(?:bot|(?-u:\\b))([0-9]{8,10}:AA[A-Za-z0-9_-]{33})"),
    ("slack token", "hooks\\.slack\\.com/services/(T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,30})"),
    ("discord token", "discord(?:app)?\\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,72})"),
    ("azure key", "(?-u:\\b)([A-Za-z0-9]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34})"),
    ("azure key", "(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)"),
];

/// Every form of this file.
pub(super) fn forms() -> impl Iterator<Item = SecretForm> {
    let form = |kind, source: &str, judge| SecretForm {
        kind,
        regex: LazyRegex::new(source),
        sign: FormSign::Run,
        judge,
    };
    let tokens = TOKENS
        .iter()
        .map(move |(kind, source)| form(kind, &format!("(?-u:\\b)(?:{source})"), judge_whole_token));
    let parts = PARTS.iter().map(move |(kind, source)| form(kind, source, judge_token_in_address));
    [form("private key", PRIVATE_KEY, judge_key_block)].into_iter().chain(tokens).chain(parts).chain([
        form("token", WRAPPED, judge_wrapped_token),
        form("authorization", "(?i-u:\\bbearer)[ \\t]+([A-Za-z0-9._~+/=-]{16,})", judge_header_token),
        form("authorization", TOKEN, judge_header_token),
        SecretForm { sign: FormSign::Name, ..form("authorization", BASIC, judge_basic_credentials) },
        form("password", IN_ADDRESS, judge_address_password),
        SecretForm { sign: FormSign::Name, ..form("password", TO_CURL, judge_address_password) },
    ])
}

/// A key block to its end; or, if it was cut off, as far as its lines go.
const PRIVATE_KEY: &str = concat!(
    "-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----",
    "(?:[A-Za-z0-9+/=\\s\\\\:,.()-]*?-----END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----",
    "|(?:(?:\\s|\\\\[rn])*[A-Za-z0-9+/=]{20,})+)"
);

/// The beginning of a maker's token, and the rest of it on the next line.
const WRAPPED: &str = concat!(
    "(?-u:\\b)((?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|[sr]k_(?:live|test)_|sk-|npm_|hf_|AIza|pypi-|do[opr]_v1_",
    "|SG\\.|lin_api_|ya29\\.|dckr_pat_|eyJ)[A-Za-z0-9_.-]{13,})([\\\\]?\\r?\\n[ \\t>]{0,8})([A-Za-z0-9_.-]{8,})(?-u:\\b)"
);

const TOKEN: &str = r#"(?i-u:\bauthorization)["'\\]{0,2}\s*[:=]\s*["'\\]{0,2}(?i-u:token|apikey|key)[ \t]+([A-Za-z0-9._~+/=-]{16,})"#;

const BASIC: &str =
    r#"(?i-u:\bauthorization)["'\\]{0,2}\s*[:=]\s*["'\\]{0,2}(?i-u:basic)\s+([A-Za-z0-9+/]{6,}={0,2})"#;

const IN_ADDRESS: &str = r#"(?i-u:\b[a-z][a-z0-9+.-]{1,20})://[^\s/:@"'<>`]*:([^\s/"'<>`]+)@[A-Za-z0-9\[]"#;

const TO_CURL: &str =
    r#"(?-u:\b)(?:curl|wget|http) (?:[^\n]*? )?(?:-u|--user)[ =]["']?[^\s:"'$]+:([^\s"']{3,})"#;

fn judge_whole_token(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    judge_token(text, found.get(0))
}

fn judge_token_in_address(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    judge_token(text, found.get(1))
}

/// A token must end where it was found to end, and be no example of one.
fn judge_token(text: &str, found: Option<Match>) -> SecretVerdict {
    let token = found.ok_or(InnocentRule::NoValue)?;
    if text[token.end()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return Err(InnocentRule::TokenGoesOn);
    }
    if look::distinct(token.as_str()) < 10 {
        return Err(InnocentRule::FewCharacters);
    }
    if token.as_str().contains("EXAMPLE") || look::counts_up(token.as_str()) {
        return Err(InnocentRule::Example);
    }
    if look::is_slug(token.as_str()) {
        return Err(InnocentRule::Slug);
    }
    Ok(SecretRule::MakerToken.at(token.range()))
}

/// Both halves of a token look like chance: the second is no word that merely follows.
fn judge_wrapped_token(_: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let (Some(whole), Some(first), Some(second)) = (found.get(0), found.get(1), found.get(3)) else {
        return Err(InnocentRule::NoValue);
    };
    let mixed = |half: &str| {
        let has = |test: fn(&u8) -> bool| half.bytes().any(|byte| test(&byte));
        has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && look::distinct(half) >= 6
    };
    if !mixed(first.as_str()) || !mixed(second.as_str()) || look::is_slug(second.as_str()) {
        return Err(InnocentRule::NotRandom);
    }
    Ok(SecretRule::WrappedToken.at(whole.range()))
}

fn judge_header_token(_: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let token = found.get(1).ok_or(InnocentRule::NoValue)?;
    if !look::is_random(token.as_str()) {
        return Err(InnocentRule::NotRandom);
    }
    Ok(SecretRule::HeaderToken.at(token.range()))
}

/// A header of the scheme Basic says `name:password` in base64.
fn judge_basic_credentials(_: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let credentials = found.get(1).ok_or(InnocentRule::NoValue)?;
    let plain = look::base64(credentials.as_str()).ok_or(InnocentRule::NoCredentials)?;
    let printable = plain.iter().all(|byte| byte.is_ascii_graphic() || *byte >= 0x80);
    if !printable || !plain.contains(&b':') {
        return Err(InnocentRule::NoCredentials);
    }
    Ok(SecretRule::BasicCredentials.at(credentials.range()))
}

/// A password in an address is one whatever it looks like, unless it stands for another value.
fn judge_address_password(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let password = found.get(1).ok_or(InnocentRule::NoValue)?;
    let before = &text[found.get(0).map_or(0, |whole| whole.start())..password.start()];
    let user = before.trim_end_matches(':').rsplit(['/', ' ', '"', '\'']).next().unwrap_or_default();
    if look::is_reference(password.as_str()) {
        return Err(InnocentRule::Reference);
    }
    if look::is_blank(password.as_str()) {
        return Err(InnocentRule::Blank);
    }
    if password.as_str().bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InnocentRule::OnlyDigits);
    }
    let stands_for_any = look::is_innocent(password.as_str()) && (user.is_empty() || look::is_innocent(user));
    if stands_for_any || user == password.as_str() {
        return Err(InnocentRule::InnocentWord);
    }
    Ok(SecretRule::AddressPassword.at(password.range()))
}

/// A block with a body; a mere mention of one has none.
fn judge_key_block(_: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let block = found.get(0).ok_or(InnocentRule::NoValue)?;
    let runs = block.as_str().split(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c));
    let body = runs.max_by_key(|run| run.len()).unwrap_or_default();
    if body.len() < 20 || look::distinct(body) < 8 {
        return Err(InnocentRule::KeyWithoutBody);
    }
    Ok(SecretRule::KeyBlock.at(block.range()))
}
