//! `cairn console`: opens the console of a running server, or serves the home and opens it.

use super::{demo, invocation::Invocation, serve};
use crate::{
    args::{ConsoleArgs, ServeArgs},
    failure::Failure,
};
use cairn_server::serving_address;
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

/// Where a server listens if nothing else was said.
const USUAL_PORT: u16 = 7777;

pub(crate) async fn console(invocation: &Invocation, args: ConsoleArgs) -> Result<(), Failure> {
    let browser = if args.no_browser { Browser::Closed } else { Browser::Opened };
    if args.demo {
        let (lived, _folder) = demo::live(invocation).await?;
        return serve_console(&lived, args.port, browser).await;
    }
    match serving_address(invocation.home.path()) {
        Some(address) => {
            let opened = browser.show(address);
            invocation.answer(
                || json!({"url": url(address), "opened": opened, "started": false}),
                || out!("the console is at {}", url(address)),
            );
            Ok(())
        }
        None => serve_console(invocation, args.port, browser).await,
    }
}

async fn serve_console(invocation: &Invocation, port: Option<u16>, browser: Browser) -> Result<(), Failure> {
    let bind = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let is_free = |port: &u16| TcpListener::bind((bind, *port)).is_ok();
    let port = port.unwrap_or_else(|| Some(USUAL_PORT).filter(is_free).unwrap_or(0));
    serve::serve_and(invocation, ServeArgs { port, bind }, |started| {
        browser.show(started.address);
    })
    .await
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}/")
}

/// Whether a browser is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Browser {
    Opened,
    Closed,
}

impl Browser {
    /// Opens the console, and says whether a browser was asked to. Where there is no screen there is none to ask.
    fn show(self, address: SocketAddr) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let screen = !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY");
        self == Self::Opened && screen && open::that_detached(url(address)).is_ok()
    }
}
