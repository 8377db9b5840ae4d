//! `cairn service`: runs the server under systemd or launchd. systemd stops restarting a server that fails ten times in ten
//! minutes.

use super::invocation::Invocation;
use crate::{
    args::{ServeArgs, ServiceCommand},
    failure::Failure,
    show,
};
use serde_json::json;
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// The names under which the supervisors know it.
const LAUNCHD_LABEL: &str = "org.cairn.serve";
const SYSTEMD_UNIT: &str = "cairn.service";

/// Whether the service is turned on or off.
#[derive(Clone, Copy)]
enum ServiceAction {
    Enable,
    Disable,
}

/// The service supervisor of this system.
enum ServiceSupervisor {
    Systemd,
    Launchd,
}

impl ServiceSupervisor {
    fn here() -> Result<Self, Failure> {
        if cfg!(target_os = "macos") {
            Ok(Self::Launchd)
        } else if cfg!(target_os = "linux") {
            Ok(Self::Systemd)
        } else {
            let hint = "start `cairn serve` with this system's own service manager";
            Err(Failure::new("only systemd and launchd are supported", hint))
        }
    }

    /// The file that describes the service.
    fn file(&self) -> Result<PathBuf, Failure> {
        let folder = match self {
            Self::Systemd => dirs::config_dir().map(|folder| folder.join("systemd/user").join(SYSTEMD_UNIT)),
            Self::Launchd => std::env::home_dir()
                .map(|home| home.join("Library/LaunchAgents").join(format!("{LAUNCHD_LABEL}.plist"))),
        };
        folder.ok_or_else(|| Failure::new("there is no home folder", "set HOME"))
    }

    fn text(&self, program: &Path, home: &Path, serve: &ServeArgs, variables: &[(String, String)]) -> String {
        let words = [
            program.display().to_string(),
            "--home".to_owned(),
            home.display().to_string(),
            "serve".to_owned(),
            "--port".to_owned(),
            serve.port.to_string(),
            "--bind".to_owned(),
            serve.bind.to_string(),
        ];
        match self {
            Self::Systemd => systemd(&words, variables),
            Self::Launchd => launchd(&words, variables),
        }
    }

    /// The commands that start the service now and at every login, or stop it for good.
    fn commands(&self, file: &Path, action: ServiceAction) -> Vec<Vec<String>> {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let path = file.display().to_string();
        match (self, action) {
            (Self::Systemd, ServiceAction::Enable) => {
                vec![
                    words("systemctl --user daemon-reload"),
                    words(&format!("systemctl --user enable --now {SYSTEMD_UNIT}")),
                ]
            }
            (Self::Systemd, ServiceAction::Disable) => {
                vec![words(&format!("systemctl --user disable --now {SYSTEMD_UNIT}"))]
            }
            (Self::Launchd, ServiceAction::Enable) => vec![[words("launchctl load -w"), vec![path]].concat()],
            (Self::Launchd, ServiceAction::Disable) => {
                vec![[words("launchctl unload -w"), vec![path]].concat()]
            }
        }
    }

    fn status(&self) -> Command {
        let mut command = match self {
            Self::Systemd => Command::new("systemctl"),
            Self::Launchd => Command::new("launchctl"),
        };
        match self {
            Self::Systemd => command.args(["--user", "is-active", SYSTEMD_UNIT]),
            Self::Launchd => command.args(["list", LAUNCHD_LABEL]),
        };
        command
    }
}

fn systemd(words: &[String], variables: &[(String, String)]) -> String {
    let quote =
        |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%"));
    let command: Vec<String> = words.iter().map(|word| quote(word)).collect();
    let variable =
        |(name, value): &(String, String)| format!("Environment={}\n", quote(&format!("{name}={value}")));
    let environment = variables.iter().map(variable).collect::<Vec<_>>().concat();
    format!(
        "[Unit]\nDescription=Cairn, a memory for agents\nStartLimitIntervalSec=600\nStartLimitBurst=10\n\n\
         [Service]\nExecStart={}\n{environment}Restart=on-failure\nRestartSec=30\nTimeoutStopSec=20\n\
         NoNewPrivileges=true\nUMask=0077\n\n[Install]\nWantedBy=default.target\n",
        command.join(" ")
    )
}

fn launchd(words: &[String], variables: &[(String, String)]) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let word = |word: &String| format!("        <string>{}</string>\n", escape(word));
    let command = words.iter().map(word).collect::<Vec<_>>().concat();
    let entry = |(name, value): &(String, String)| {
        format!("        <key>{}</key><string>{}</string>\n", escape(name), escape(value))
    };
    let environment = variables.iter().map(entry).collect::<Vec<_>>().concat();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n    <key>Label</key><string>{LAUNCHD_LABEL}</string>\n\
         \x20   <key>ProgramArguments</key>\n    <array>\n{command}    </array>\n\
         \x20   <key>EnvironmentVariables</key>\n    <dict>\n{environment}    </dict>\n\
         \x20   <key>RunAtLoad</key><true/>\n    <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>\n\
         \x20   <key>ThrottleInterval</key><integer>30</integer>\n    <key>Umask</key><integer>63</integer>\n\
         </dict>\n</plist>\n"
    )
}

pub(crate) fn service(invocation: &Invocation, what: ServiceCommand) -> Result<(), Failure> {
    let supervisor = ServiceSupervisor::here()?;
    let file = supervisor.file()?;
    match what {
        ServiceCommand::Install { serve, dry_run } => {
            install(invocation, &supervisor, &file, &serve, dry_run)
        }
        ServiceCommand::Status => {
            status(invocation, &supervisor, &file);
            Ok(())
        }
        ServiceCommand::Remove => remove(invocation, &supervisor, &file),
    }
}

fn install(
    invocation: &Invocation,
    supervisor: &ServiceSupervisor,
    file: &Path,
    serve: &ServeArgs,
    dry_run: bool,
) -> Result<(), Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::new(format!("this program cannot be found: {error}"), "reinstall it"))?;
    let home =
        std::path::absolute(invocation.home.path()).unwrap_or_else(|_| invocation.home.path().to_owned());
    // A database's address may hold a password: it belongs in config.toml, which only its owner needs to read.
    let variables =
        ["CAIRN_MODELS", "CAIRN_LOG"].map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
    let variables: Vec<(String, String)> = variables.into_iter().flatten().collect();
    let text = supervisor.text(&program, &home, serve, &variables);
    if dry_run {
        invocation.answer(
            || json!({"file": file, "text": text}),
            || out!("# {}\n{}", file.display(), text.trim_end()),
        );
        return Ok(());
    }
    let failed = |error: io::Error| {
        let hint = "check the folder's permissions; `--dry-run` prints what belongs there";
        Failure::new(format!("cannot write {}: {error}", file.display()), hint)
    };
    fs::create_dir_all(file.parent().unwrap_or(file)).map_err(failed)?;
    fs::write(file, &text).map_err(failed)?;
    let started = run_commands(&supervisor.commands(file, ServiceAction::Enable));
    invocation.answer(
        || json!({"file": file, "started": started.is_ok()}),
        || {
            let (green, yellow) = (show::GREEN, show::YELLOW);
            out!("{green}installed{green:#}  {}", file.display());
            match &started {
                Ok(()) => out!("           it is running, and will start whenever you log in"),
                Err(problem) => {
                    out!("{yellow}not started{yellow:#}  {problem}; it will start when you log in");
                }
            }
        },
    );
    Ok(())
}

fn status(invocation: &Invocation, supervisor: &ServiceSupervisor, file: &Path) {
    let installed = file.exists();
    let running = installed && supervisor.status().output().is_ok_and(|output| output.status.success());
    invocation.answer(
        || json!({"installed": installed, "running": running, "file": file}),
        || {
            let word = match (installed, running) {
                (false, _) => "not installed; `cairn service install` installs it",
                (true, false) => "installed but not running; `cairn serve` shows why",
                (true, true) => "installed and running",
            };
            out!("{word}\n{}", file.display());
        },
    );
}

fn remove(invocation: &Invocation, supervisor: &ServiceSupervisor, file: &Path) -> Result<(), Failure> {
    let there = file.exists();
    if there {
        // An error means that it is not running.
        let _ = run_commands(&supervisor.commands(file, ServiceAction::Disable));
        fs::remove_file(file).map_err(|error| {
            Failure::new(format!("cannot remove {}: {error}", file.display()), "remove it by hand")
        })?;
    }
    invocation.answer(
        || json!({"removed": there, "file": file}),
        || out!("{}  {}", if there { "removed" } else { "it was not installed" }, file.display()),
    );
    Ok(())
}

/// Runs the commands in order, up to the first that fails.
fn run_commands(commands: &[Vec<String>]) -> Result<(), String> {
    for words in commands {
        let Some((program, arguments)) = words.split_first() else { continue };
        let output = Command::new(program).args(arguments).output();
        let output = output.map_err(|error| format!("{program}: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}: {}", words.join(" "), said.trim()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-178
    #[test]
    fn a_unit_restarts_what_fails_and_not_for_ever() {
        let serve = ServeArgs { port: 7777, bind: [127, 0, 0, 1].into() };
        let variables = [("CAIRN_MODELS".to_owned(), "/m\"o & d".to_owned())];
        let text = |supervisor: &ServiceSupervisor| {
            supervisor.text(Path::new("/opt/my cairn"), Path::new("/home/ana/100%"), &serve, &variables)
        };
        let systemd = text(&ServiceSupervisor::Systemd);
        for line in [
            "ExecStart=\"/opt/my cairn\" \"--home\" \"/home/ana/100%%\" \"serve\" \"--port\" \"7777\" \"--bind\" \"127.0.0.1\"",
            "Restart=on-failure",
            "RestartSec=30",
            "StartLimitBurst=10",
            "Environment=\"CAIRN_MODELS=/m\\\"o & d\"",
        ] {
            assert!(systemd.lines().any(|found| found == line), "{line}\n{systemd}");
        }
        let launchd = text(&ServiceSupervisor::Launchd);
        for part in ["<integer>30</integer>", "<string>/opt/my cairn</string>", "/m\"o &amp; d", "<false/>"] {
            assert!(launchd.contains(part), "{part}\n{launchd}");
        }
    }
}
