use crate::common::{FILES, ID, copied_models, test_models_folder};
use cairn_domain::Time;
use cairn_models::{
    BoxFuture, Calibration, Embedder, EmbedderChoice, EmbedderProvider, EmbedderSpec, ModelError,
    RemoteEmbedderConfig, Result, local_spec,
};
use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Counts what it is asked for.
struct Counting {
    spec: EmbedderSpec,
    texts: AtomicUsize,
}

impl Counting {
    fn new() -> Arc<Self> {
        Arc::new(Self { spec: local_spec(), texts: AtomicUsize::new(0) })
    }

    fn texts(&self) -> usize {
        self.texts.load(Ordering::Relaxed)
    }
}

impl Embedder for Counting {
    fn spec(&self) -> &EmbedderSpec {
        &self.spec
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>>> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        Box::pin(async move { Ok(texts.iter().map(|text| vec![text.len() as f32]).collect()) })
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.len()
    }
}

fn at(minute: i64) -> Time {
    Time::from_millis(1_794_736_800_000 + minute * 60_000)
}

fn local(models: impl Into<PathBuf>) -> EmbedderProvider {
    EmbedderProvider::new(EmbedderChoice::Local, models.into())
}

/// covers: W-15, C-172, C-174
#[tokio::test]
async fn a_question_is_embedded_once_in_its_session_and_half_hour() {
    let counting = Counting::new();
    let provider = EmbedderProvider::new(EmbedderChoice::Own(counting.clone()), PathBuf::new());
    for (session, text, minute, embedded) in [
        ("a", "text", 0, 1),
        ("a", "text", 1, 1),
        ("b", "text", 1, 2),
        ("a", "other", 2, 3),
        ("a", "text", 29, 3),
        ("a", "text", 30, 4),
    ] {
        let vector = provider.embed_query(session, text, at(minute)).await.expect("a vector");
        assert_eq!(*vector, [text.len() as f32]);
        assert_eq!(counting.texts(), embedded, "{session} {text} {minute}");
    }
    provider.end_session("a");
    provider.embed_query("b", "text", at(2)).await.expect("a vector");
    assert_eq!(counting.texts(), 4, "another session keeps its own");
    provider.embed_query("a", "text", at(31)).await.expect("a vector");
    assert_eq!(counting.texts(), 5, "what ended is forgotten");
    provider.free();
    provider.embed_query("a", "text", at(31)).await.expect("a vector");
    assert_eq!(counting.texts(), 6, "what was freed is forgotten");
    provider.embed(vec!["text".to_owned(); 2]).await.expect("vectors");
    assert_eq!(counting.texts(), 8, "documents are not cached");
}

/// covers: W-15
#[tokio::test]
async fn the_model_is_loaded_at_its_first_use_once_and_freed_when_told() {
    let Some(models) = test_models_folder().await else { return };
    let provider = local(models);
    assert_eq!(provider.spec(), Some(local_spec()));
    assert!(format!("{provider:?}").contains("Empty"), "nothing is loaded yet: {provider:?}");
    let (one, other) = tokio::join!(provider.embedder(), provider.embedder());
    let (one, other) = (one.expect("loaded"), other.expect("loaded"));
    assert!(Arc::ptr_eq(&one, &other), "two who come first load once");
    let weights = Arc::downgrade(&one);
    drop((one, other));
    assert!(weights.upgrade().is_some(), "the provider keeps it");
    let before = provider.embed_query("s", "a question", at(0)).await.expect("a vector");
    provider.free();
    assert!(weights.upgrade().is_none(), "nobody keeps it");
    let after = provider.embed_query("s", "a question", at(0)).await.expect("loaded again");
    assert_eq!(before, after);
    assert_eq!(after.len(), 384);
}

#[tokio::test]
async fn a_model_that_is_installed_later_is_found_at_once() {
    let empty = tempfile::tempdir().expect("a folder");
    let provider = local(empty.path());
    let error = provider.embed(vec!["text".to_owned()]).await.expect_err("not installed");
    assert!(matches!(error, ModelError::NotInstalled { .. }), "{error}");
    let Some(models) = copied_models().await else { return };
    fs::rename(models.path().join(ID), empty.path().join(ID)).expect("moved");
    provider.embed(vec!["text".to_owned()]).await.expect("installed by now");
}

#[tokio::test(start_paused = true)]
async fn a_broken_model_is_tried_again_after_30_seconds_or_when_freed() {
    let Some(models) = copied_models().await else { return };
    let file = models.path().join(ID).join(FILES[1]);
    let whole = fs::read(&file).expect("read");
    let provider = local(models.path());
    let broken = async || {
        let error = provider.embedder().await.err().expect("broken");
        assert!(matches!(error, ModelError::Damaged { .. }), "{error}");
    };
    fs::write(&file, b"short").expect("written");
    broken().await;
    fs::write(&file, &whole).expect("mended");
    tokio::time::advance(Duration::from_secs(29)).await;
    broken().await;
    tokio::time::advance(Duration::from_secs(2)).await;
    provider.embedder().await.map(|_| ()).expect("tried again");
    provider.free();
    fs::write(&file, b"short").expect("written");
    broken().await;
    fs::write(&file, &whole).expect("mended");
    provider.free();
    provider.embedder().await.map(|_| ()).expect("tried again");
}

#[tokio::test]
async fn without_an_embedder_nothing_is_embedded() {
    let provider = EmbedderProvider::new(EmbedderChoice::None, PathBuf::new());
    assert_eq!(provider.spec(), None);
    let error = provider.embed_query("s", "text", at(0)).await.expect_err("nobody embeds");
    assert!(matches!(error, ModelError::NoEmbedder), "{error}");
}

/// covers: X-W4
#[test]
fn a_server_brings_thresholds_of_its_own() {
    let calibration = Calibration { unrelated: 0.6, distance: 0.7, sparse_distance: 0.8 };
    let config = RemoteEmbedderConfig {
        url: "http://localhost:11434/v1".to_owned(),
        model: "some-model".to_owned(),
        dimension: 768,
        max_tokens: 2_048,
        calibration,
        key: None,
        timeout: Duration::from_secs(30),
    };
    let spec = EmbedderProvider::new(EmbedderChoice::Http(config), PathBuf::new())
        .spec()
        .expect("known without asking");
    let id = "http:some-model".to_owned();
    assert_eq!(spec, EmbedderSpec { id, dimension: 768, max_tokens: 2_048, calibration });
}
