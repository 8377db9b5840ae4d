# nix run 'path:.?dir=packaging' -- --help      from the root of the project
{
  description = "Cairn, a memory engine for AI agents";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      manifest = builtins.fromTOML (builtins.readFile ../Cargo.toml);
    in
    {
      packages = forEach (pkgs: rec {
        default = cairn-recall;
        cairn-recall = pkgs.rustPlatform.buildRustPackage {
          pname = "cairn-recall";
          version = manifest.workspace.package.version;
          src = ../.;
          cargoLock.lockFile = ../Cargo.lock;
          cargoBuildFlags = [ "--package" "cairn" ];
          # The tests download an embedding model and a PostgreSQL; `./test` runs them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles pkgs.python3 ];
          postInstall = ''
            python3 scripts/package man $out/bin/cairn pages
            installManPage pages/*.1
            installShellCompletion --cmd cairn \
              --bash <($out/bin/cairn completions bash) \
              --zsh <($out/bin/cairn completions zsh) \
              --fish <($out/bin/cairn completions fish)
          '';
          meta = {
            description = "Memory engine for AI agents";
            license = nixpkgs.lib.licenses.asl20;
            mainProgram = "cairn";
            platforms = systems;
          };
        };
      });
      checks = forEach (pkgs: { inherit (self.packages.${pkgs.system}) cairn-recall; });
    };
}
