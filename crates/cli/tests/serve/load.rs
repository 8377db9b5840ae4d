//! Many at once, and a kill in the middle.

use crate::{serve::world::Server, support::Cairn};
use reqwest::Method;
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

const CLIENTS: usize = 50;
const ASKS: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once_are_all_answered() {
    let cairn = Cairn::new();
    let server = Arc::new(Server::start(&cairn));
    server.post("/v1/agents/main/remember", &json!({"text": "The kettle is green."})).await.ok();
    let clients = (0..CLIENTS).map(|client| {
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            for ask in 0..ASKS {
                if ask % 10 == 0 {
                    let told = json!({"text": format!("Client {client} says {ask}."), "id": format!("{client}-{ask}")});
                    server.post("/v1/agents/main/remember", &told).await.ok();
                } else {
                    let found = server.post("/v1/agents/main/recall", &json!({"query": "green kettle"})).await.ok();
                    assert!(!found["hits"].as_array().expect("hits").is_empty());
                }
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("every answer was one");
    }
    let stats = server.get("/v1/agents/main/stats").await.ok();
    assert_eq!(stats["messages"], 1 + CLIENTS * ASKS / 10);
}

/// Two hundred clients of which some ask, some listen and read nothing, and some are gone in the middle.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_at_once_leave_the_server_up_and_small() {
    let cairn = Cairn::new();
    let server = Arc::new(Server::start(&cairn));
    server.post("/v1/agents/main/remember", &json!({"text": "The kettle is green."})).await.ok();
    let clients = (0..200).map(|client| {
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            // A connection of its own, not one of a pool.
            let own = reqwest::Client::builder().timeout(Duration::from_mins(1)).build().expect("a client");
            let recall = || {
                let recall = own.post(format!("{}/v1/agents/main/recall", server.url));
                recall.json(&json!({"query": "green kettle"}))
            };
            match client % 10 {
                0 => {
                    let events = own.get(format!("{}/v1/agents/main/events", server.url)).send().await;
                    tokio::time::sleep(Duration::from_secs(3)).await;
                    assert!(events.expect("an answer").status().is_success());
                }
                1 => drop(tokio::time::timeout(Duration::from_millis(5), recall().send()).await),
                _ => {
                    for _ in 0..5 {
                        let answer = recall().send().await.expect("an answer");
                        assert!(answer.status().is_success(), "{}", answer.status());
                    }
                }
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("every answer was one");
    }
    server.get("/healthz").await.ok();
    if let Some(mib) = server.most_memory_mib() {
        assert!(mib < 600, "{mib} MiB");
    }
}

/// covers: X-P1
#[tokio::test(flavor = "multi_thread")]
async fn killed_in_the_middle_of_everything_it_loses_nothing_it_acknowledged() {
    let cairn = Cairn::new();
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let mut server = Server::start(&cairn);
        let (url, client, over) =
            (server.url.clone(), server.client.clone(), Arc::new(AtomicBool::new(false)));
        let many = Arc::new(AtomicUsize::new(0));
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let (url, client, over) = (url.clone(), client.clone(), Arc::clone(&over));
                let many = Arc::clone(&many);
                tokio::spawn(async move {
                    let mut kept = Vec::new();
                    for number in 0.. {
                        let id = format!("{round}-{writer}-{number}");
                        let told = json!({"text": format!("Number {id} was said."), "id": id, "no_wait": number % 2 == 0});
                        let request = client.request(Method::POST, format!("{url}/v1/agents/main/remember"));
                        match request.json(&told).send().await {
                            Ok(answer) if answer.status().is_success() => {
                                kept.push(id);
                                many.fetch_add(1, Ordering::Relaxed);
                            }
                            _ if over.load(Ordering::Relaxed) => return kept,
                            _ => {}
                        }
                    }
                    kept
                })
            })
            .collect();
        let begun = Instant::now();
        // However slow the machine is, it is killed while much goes on.
        while begun.elapsed() < Duration::from_millis(700 + 300 * round)
            || (many.load(Ordering::Relaxed) < 20 && begun.elapsed() < Duration::from_mins(1))
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        over.store(true, Ordering::Relaxed);
        server.kill();
        for writer in writers {
            acknowledged.extend(writer.await.expect("a writer"));
        }
    }
    assert!(acknowledged.len() > 50, "only {} were acknowledged", acknowledged.len());
    let server = Server::start(&cairn);
    for id in &acknowledged {
        let text = format!("Number {id} was said.");
        let told = json!({"text": text, "id": id, "no_wait": true});
        let again = server.post("/v1/agents/main/remember", &told).await.ok();
        assert_eq!(again["duplicate"], true, "{id} was acknowledged and is gone");
    }
    let verified = cairn.json("verify");
    assert_eq!(verified["ok"], true, "{verified}");
}
