package io.kvmesh.helm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * Starts what the chart renders from an image's root file system, as a container runtime would as
 * far as this needs no more than root: mounts of its own that end with the program, a root file
 * system that can't be written, the image's entry point and user, its variables and the chart's.
 * The network, the processes and the host's limits are this machine's.
 */
final class Containers {

  /** $1 = root, $2 = folder for /dev/shm, $3 = files of Secrets, and then the command. */
  private static final String MOUNT_AND_START =
      """
      set -e
      mount --bind "$1" "$1"
      mount -t proc proc "$1/proc"
      mount --bind /dev "$1/dev"
      mount --bind "$2" "$1/dev/shm"
      mount --bind "$3" "$1/etc/kvmesh"
      mount -t tmpfs tmpfs "$1/tmp"
      mount -o remount,bind,ro "$1"
      shift 3
      exec "$@"
      """;

  private final Path work;
  private final Path secrets;
  private final Path memory;

  /**
   * @param work a new folder
   */
  Containers(Path work) throws IOException, InterruptedException {
    this.work = work;
    this.secrets = Files.createDirectory(work.resolve("secrets"));
    this.memory = Files.createDirectory(work.resolve("shm"));
    OciImage.run(List.of("chown", "10001:10001", memory.toString()));
  }

  /** What a pod finds at {@code /etc/kvmesh}. */
  Path secrets() {
    return secrets;
  }

  /** What agents of one pod find at {@code /dev/shm}. */
  Path memory() {
    return memory;
  }

  /** Why nothing can be started here; empty if it can. */
  static String whyNot() {
    try {
      if (!System.getProperty("user.name", "").equals("root")) {
        return "needs root, for chroot and mounts of its own";
      }
      OciImage.run(List.of("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/tmp"));
      return "";
    } catch (IOException e) {
      return "needs mounts of its own: " + e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "was interrupted";
    }
  }

  /** Unpacks it, with the folders on which a pod's volumes are mounted. */
  Path root(OciImage image, String name) throws IOException, InterruptedException {
    Path root = Files.createDirectory(work.resolve(name));
    image.unpack(root);
    for (String folder : List.of("proc", "dev", "tmp", "etc/kvmesh")) {
      Files.createDirectories(root.resolve(folder));
    }
    // As a container runtime would.
    Files.writeString(root.resolve("etc/hosts"), "127.0.0.1 localhost\n");
    OciImage.run(List.of("chmod", "755", root.toString()));
    return root;
  }

  /**
   * The program of a container; who destroys the process ends it.
   *
   * @param node what the node says of itself, by variable
   */
  Process start(OciImage image, Path root, JsonNode container, Map<String, String> node)
      throws IOException {
    Map<String, String> environment = new LinkedHashMap<>(image.environment());
    for (JsonNode variable : container.path("env")) {
      String name = variable.path("name").asString();
      environment.put(name, variable.path("value").asString(node.getOrDefault(name, "")));
    }
    List<String> command =
        new ArrayList<>(
            List.of("unshare", "--mount", "sh", "-c", MOUNT_AND_START, "sh", root.toString()));
    command.addAll(List.of(memory.toString(), secrets.toString(), "/usr/bin/env", "-i"));
    environment.forEach((name, value) -> command.add(name + "=" + value));
    command.addAll(
        List.of("/usr/sbin/chroot", "--groups=10001", "--userspec=" + image.user(), "" + root));
    command.addAll(image.entrypoint());
    for (JsonNode argument : container.path("args")) {
      command.add(substituted(argument.asString(), environment));
    }
    String name = container.path("name").asString();
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log(name).toFile())
        .start();
  }

  private static String substituted(String argument, Map<String, String> environment) {
    String result = argument;
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      result = result.replace("$(" + variable.getKey() + ")", variable.getValue());
    }
    return result;
  }

  /** What the program of that container has printed. */
  Path log(String container) {
    return work.resolve(container + ".log");
  }

  /** Asks it to end and waits; its status. */
  static int end(Process process) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(40, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    return process.exitValue();
  }
}
