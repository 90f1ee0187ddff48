package io.kvmesh.helm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An image in an OCI layout.
 *
 * @param layers compressed archives, the lowest first
 * @param config what a container of it is started with
 */
record OciImage(List<Path> layers, JsonNode config) {

  private static final String WHITEOUT = ".wh.";
  private static final String OPAQUE = ".wh..wh..opq";

  /**
   * Reads an archive.
   *
   * @param folder where its parts are unpacked
   */
  static OciImage read(Path archive, Path folder) throws IOException, InterruptedException {
    run(List.of("tar", "-xf", archive.toString(), "-C", folder.toString()));
    JsonNode manifest =
        json(blob(folder, json(folder.resolve("index.json")).at("/manifests/0/digest").asString()));
    JsonNode image = json(blob(folder, manifest.at("/config/digest").asString()));
    List<Path> layers =
        manifest
            .path("layers")
            .valueStream()
            .map(layer -> blob(folder, layer.path("digest").asString()))
            .toList();
    return new OciImage(layers, image.path("config"));
  }

  private static JsonNode json(Path file) {
    return JsonMapper.shared().readTree(file);
  }

  private static Path blob(Path folder, String digest) {
    return folder.resolve("blobs").resolve(digest.replace(':', '/'));
  }

  List<String> entrypoint() {
    return texts("Entrypoint");
  }

  String user() {
    return config.path("User").asString();
  }

  Map<String, String> environment() {
    Map<String, String> environment = new LinkedHashMap<>();
    for (String variable : texts("Env")) {
      int at = variable.indexOf('=');
      environment.put(variable.substring(0, at), variable.substring(at + 1));
    }
    return environment;
  }

  private List<String> texts(String name) {
    return config.path(name).valueStream().map(JsonNode::asString).toList();
  }

  /** Its root file system: each layer takes away what it says and then adds what it has. */
  void unpack(Path root) throws IOException, InterruptedException {
    for (Path layer : layers) {
      for (String name : run(List.of("tar", "-tf", layer.toString())).split("\n", -1)) {
        takeAway(root, root.resolve(name.replaceFirst("^/+", "")).normalize());
      }
      run(
          List.of(
              "tar", "-xf", layer.toString(), "-C", root.toString(), "--exclude", WHITEOUT + "*"));
    }
  }

  private static void takeAway(Path root, Path entry) throws IOException {
    String name = String.valueOf(entry.getFileName());
    if (!name.startsWith(WHITEOUT) || !entry.startsWith(root)) {
      return;
    }
    Path folder = entry.resolveSibling("");
    if (name.equals(OPAQUE)) {
      try (var children = Files.list(folder)) {
        for (Path child : children.toList()) {
          delete(child);
        }
      }
    } else {
      delete(folder.resolve(name.substring(WHITEOUT.length())));
    }
  }

  private static void delete(Path tree) throws IOException {
    if (!Files.exists(tree)) {
      return;
    }
    try (var all = Files.walk(tree)) {
      for (Path path : new TreeSet<>(all.toList()).descendingSet()) {
        Files.delete(path);
      }
    }
  }

  /** What it prints. */
  static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(2, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException(command + ": " + said);
    }
    return said;
  }
}
