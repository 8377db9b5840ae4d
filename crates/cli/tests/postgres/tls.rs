//! The way to a server, encrypted: a proxy before the real one has the certificate, and hears what is said.

use crate::{
    postgres::database::Database,
    support::{Cairn, Ran},
};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use std::{
    io,
    pin::Pin,
    process::Stdio,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf, copy_bidirectional, join},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf},
    runtime::{Builder, Runtime},
};
use tokio_postgres::config::{Config, Host};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer},
};

/// Who asks for encryption sends this first: eight bytes, and a number that is no version of the protocol.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
/// A record of TLS that belongs to the handshake begins so.
const HANDSHAKE: [u8; 2] = [0x16, 0x03];
/// A command that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(40);

/// Somebody who signs certificates.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new(name: &str) -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// A certificate for `host`, accepted by those who trust this authority.
    fn certify(&self, host: &str) -> TlsAcceptor {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([host.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            );
        TlsAcceptor::from(Arc::new(config.expect("a certificate that fits its key")))
    }
}

/// The bytes sent on one connection.
type Heard = Arc<Mutex<Vec<u8>>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A client's connection whose bytes are recorded as they cross the network.
struct Overheard {
    client: OwnedReadHalf,
    heard: Heard,
}

impl AsyncRead for Overheard {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.client).poll_read(context, buffer);
        lock(&self.heard).extend_from_slice(&buffer.filled()[before..]);
        read
    }
}

/// A proxy before the server of a database, at `localhost`; gone when the test ends.
struct Proxy {
    port: u16,
    connections: Arc<Mutex<Vec<Heard>>>,
    _runtime: Runtime,
}

impl Proxy {
    /// With `tls` it encrypts for those who ask; without, it tells them that it cannot.
    fn start(database: &Database, tls: Option<TlsAcceptor>) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let connections: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let (server, all) = (server_of(database.url()), Arc::clone(&connections));
        runtime.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let heard = Heard::default();
                lock(&all).push(Arc::clone(&heard));
                // A client that turns away from the certificate ends its connection, and no other.
                tokio::spawn(serve(client, heard, server.clone(), tls.clone()));
            }
        });
        Self { port, connections, _runtime: runtime }
    }

    /// The address of a database by this way.
    fn url(&self, database: &Database, mode: &str) -> String {
        let (scheme, rest) = database.url().split_once("://").expect("an address");
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (server, name) = rest.rsplit_once('/').expect("a database");
        let user = server.rfind('@').map_or("", |at| &server[..=at]);
        format!("{scheme}://{user}localhost:{}/{name}?{options}&{mode}", self.port).replace("?&", "?")
    }

    /// The bytes sent on each connection since the last call.
    fn heard(&self) -> Vec<Vec<u8>> {
        lock(&self.connections).drain(..).map(|heard| lock(&heard).clone()).collect()
    }
}

/// Host and port of the server in an address.
fn server_of(url: &str) -> (String, u16) {
    let config: Config = url.parse().expect("an address");
    let Some(Host::Tcp(host)) = config.get_hosts().first() else { panic!("no host") };
    (host.clone(), config.get_ports().first().copied().unwrap_or(5432))
}

/// Answers the question for encryption as a server would, and brings everything else to the real one.
async fn serve(
    client: TcpStream,
    heard: Heard,
    server: (String, u16),
    tls: Option<TlsAcceptor>,
) -> io::Result<()> {
    let (read, write) = client.into_split();
    let mut client = join(Overheard { client: read, heard }, write);
    let mut first = [0; 8];
    client.read_exact(&mut first).await?;
    let asks = first == SSL_REQUEST;
    if let Some(tls) = tls.filter(|_| asks) {
        client.write_all(b"S").await?;
        let mut client = tls.accept(client).await?;
        let mut server = TcpStream::connect(server).await?;
        copy_bidirectional(&mut client, &mut server).await?;
        return Ok(());
    }
    let mut server = TcpStream::connect(server).await?;
    if asks {
        client.write_all(b"N").await?;
    } else {
        server.write_all(&first).await?;
    }
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

/// A home whose agents are at `url`, on a machine that believes `authority` and nobody else.
fn cairn(url: &str, authority: &Authority) -> Cairn {
    let cairn = Cairn::new().with_database(url);
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.write("believed.pem", &authority.pem);
    cairn
}

/// Runs a command line, which must end in time.
fn run(cairn: &Cairn, line: &str) -> Ran {
    let mut command = cairn.command(line);
    command.env("SSL_CERT_FILE", cairn.path("believed.pem")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("cairn starts");
    let begun = Instant::now();
    while child.try_wait().expect("cairn ends").is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().expect("it is killed");
            panic!("cairn {line} hangs: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("cairn ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("cairn writes UTF-8");
    let code = output.status.code().unwrap_or(-1);
    Ran { stdout: text(output.stdout), stderr: text(output.stderr), code }
}

/// Remembers a sentence and finds it.
fn works(cairn: &Cairn) {
    for line in ["init --no-model", "remember 'The atlas is overdue.'", "doctor"] {
        let ran = run(cairn, line);
        assert_eq!(ran.code, 0, "cairn {line}\n{}{}", ran.stdout, ran.stderr);
    }
    let ran = run(cairn, "recall overdue");
    assert!(ran.code == 0 && ran.stdout.contains("The atlas is overdue."), "{}{}", ran.stdout, ran.stderr);
}

/// Every command says what is wrong with the way to the server, and what to do about it.
fn refused(cairn: &Cairn, problem: &str) {
    let hint =
        "check the server's certificate, or add ?sslmode=disable to the address if the network is trusted";
    let ran = run(cairn, "doctor");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    for words in [problem, hint] {
        assert!(ran.stdout.contains(words), "{words} is not in {}", ran.stdout);
    }
    for line in ["remember 'The atlas is overdue.'", "init --no-model", "recall overdue", "agents"] {
        let ran = run(cairn, line);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{line}: {}", ran.stderr);
        let said = |start: &str, words: &str| {
            ran.stderr.lines().any(|line| line.starts_with(start) && line.contains(words))
        };
        assert!(said("error: ", problem), "{line}: {problem} is not in {}", ran.stderr);
        assert!(said("hint: ", hint), "{line}: {hint} is not in {}", ran.stderr);
    }
}

/// How a connection began.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Began {
    /// It asked for encryption, and a handshake followed.
    Encrypted,
    /// It asked for encryption, and went on without.
    Asked,
    /// It asked for encryption, and nothing followed.
    Ended,
    /// It did not ask.
    Plain,
}

fn began(heard: &[u8]) -> Began {
    match heard.strip_prefix(&SSL_REQUEST) {
        Some([]) => Began::Ended,
        Some(rest) if rest.starts_with(&HANDSHAKE) => Began::Encrypted,
        Some(_) => Began::Asked,
        None => Began::Plain,
    }
}

/// How each connection began, and whether anybody on the way can read the sentence.
fn story(proxy: &Proxy) -> (Vec<Began>, bool) {
    let heard = proxy.heard();
    let readable = heard.iter().any(|heard| heard.windows(5).any(|word| word == b"atlas"));
    (heard.iter().map(|heard| began(heard)).collect(), readable)
}

/// Whether something was there, and all of it was this.
fn all(story: &[Began], wanted: Began) -> bool {
    !story.is_empty() && story.iter().all(|began| *began == wanted)
}

/// covers: X-P3
#[test]
fn a_server_that_is_believed_is_spoken_to_in_secret() {
    let authority = Authority::new("Known");
    for mode in ["sslmode=require", "sslmode=prefer", ""] {
        let Some(database) = Database::new() else { return };
        let proxy = Proxy::start(&database, Some(authority.certify("localhost")));
        works(&cairn(&proxy.url(&database, mode), &authority));
        let (began, readable) = story(&proxy);
        assert!(all(&began, Began::Encrypted) && !readable, "{mode}: {began:?}, {readable}");
    }
}

/// covers: X-P3
#[test]
fn a_server_that_nobody_believes_is_refused_by_who_insists() {
    let Some(database) = Database::new() else { return };
    let (known, unknown) = (Authority::new("Known"), Authority::new("Unknown"));
    let proxy = Proxy::start(&database, Some(unknown.certify("localhost")));
    let url = proxy.url(&database, "sslmode=require");
    refused(&cairn(&url, &known), "UnknownIssuer");
    let (began, readable) = story(&proxy);
    assert!(all(&began, Began::Encrypted) && !readable, "{began:?}, {readable}");
    works(&cairn(&url, &unknown));
}

/// covers: X-P3
#[test]
fn a_certificate_for_another_host_is_refused_by_who_insists() {
    let Some(database) = Database::new() else { return };
    let authority = Authority::new("Known");
    let proxy = Proxy::start(&database, Some(authority.certify("elsewhere.example")));
    refused(&cairn(&proxy.url(&database, "sslmode=require"), &authority), "certificate not valid for name");
    let (began, readable) = story(&proxy);
    assert!(all(&began, Began::Encrypted) && !readable, "{began:?}, {readable}");
}

/// covers: X-P3
#[test]
fn who_does_not_insist_goes_on_in_the_open() {
    let Some(database) = Database::new() else { return };
    let (known, unknown) = (Authority::new("Known"), Authority::new("Unknown"));
    let proxy = Proxy::start(&database, Some(unknown.certify("localhost")));
    works(&cairn(&proxy.url(&database, ""), &known));
    let (began, readable) = story(&proxy);
    // Each connection is tried in secret first, and some may be made at the same time.
    let (tried, open): (Vec<Began>, Vec<Began>) = began.iter().partition(|began| **began != Began::Plain);
    assert_eq!((began.first(), tried.len()), (Some(&Began::Encrypted), open.len()), "{began:?}");
    assert!(all(&tried, Began::Encrypted) && readable, "{began:?}, {readable}");
}

/// covers: X-P3
#[test]
fn who_wants_no_encryption_is_not_offered_any() {
    let Some(database) = Database::new() else { return };
    let authority = Authority::new("Known");
    let proxy = Proxy::start(&database, Some(authority.certify("localhost")));
    works(&cairn(&proxy.url(&database, "sslmode=disable"), &authority));
    let (began, readable) = story(&proxy);
    assert!(all(&began, Began::Plain) && readable, "{began:?}, {readable}");
}

/// covers: X-P3
#[test]
fn a_server_that_cannot_encrypt_is_refused_by_who_insists() {
    let Some(database) = Database::new() else { return };
    let authority = Authority::new("Known");
    let proxy = Proxy::start(&database, None);
    refused(&cairn(&proxy.url(&database, "sslmode=require"), &authority), "server does not support TLS");
    let (began, _) = story(&proxy);
    assert!(all(&began, Began::Ended), "{began:?}");
    works(&cairn(&proxy.url(&database, ""), &authority));
    let (began, readable) = story(&proxy);
    assert!(all(&began, Began::Asked) && readable, "{began:?}, {readable}");
}
