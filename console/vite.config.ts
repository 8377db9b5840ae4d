import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// Names without hashes: the server sends an entity tag with each file, and the committed build changes only where the
// source does.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: process.env.CONSOLE_OUT ?? "../crates/server/console",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
        manualChunks: (id) =>
          /node_modules\/(uplot)/.test(id) ? "plot"
          : /node_modules\/(sigma|graphology|events)/.test(id) ? "graph"
          : undefined,
      },
    },
  },
  // While writing: `npx vite` beside `cairn serve`. The server answers no page of another origin, so it is not told of one.
  server: {
    proxy: Object.fromEntries(
      ["/v1", "/readyz", "/healthz"].map((path) => [
        path,
        { target: "http://127.0.0.1:7777", configure: (proxy) => proxy.on("proxyReq", (request) => request.removeHeader("origin")) },
      ]),
    ),
  },
});
