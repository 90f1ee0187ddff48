package io.kvmesh.quickstart.fleet;

import io.kvmesh.quickstart.QuickstartException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/**
 * Where the build left the other modules. Each program runs on its own module's class path, so that
 * two applications' settings and auto-configuration never mix.
 */
public final class Modules {

  private static final String BUILD = "/quickstart-build.properties";

  private final Path directory;
  private final Path workDirectory;

  private Modules(Path directory, Path workDirectory) {
    this.directory = directory;
    this.workDirectory = workDirectory;
  }

  /** As recorded by the build that compiled this class. */
  public static Modules ofThisBuild() throws QuickstartException {
    Properties build = new Properties();
    try (InputStream in = Modules.class.getResourceAsStream(BUILD)) {
      if (in == null) {
        throw new QuickstartException("the build left no " + BUILD + ": start me with Maven");
      }
      build.load(in);
    } catch (IOException e) {
      throw new QuickstartException(BUILD + " can't be read: " + e.getMessage(), e);
    }
    return new Modules(
        Path.of(build.getProperty("modules.directory")).normalize(),
        Path.of(build.getProperty("work.directory")));
  }

  /** Default place for work folders. */
  public Path workDirectory() {
    return workDirectory;
  }

  /**
   * What makes a module's processes start faster.
   *
   * @param notes a folder for a training run's notes; empty = it is none
   */
  StartCache startCache(String module, Optional<Path> notes) throws QuickstartException {
    return new StartCache(module, classPath(module), workDirectory.resolve("starts"), notes);
  }

  /** The class path of a module, its own classes first. */
  public String classPath(String module) throws QuickstartException {
    Path target = directory.resolve(module).resolve("target");
    Path list = target.resolve("class-path.txt");
    try {
      return target.resolve("classes") + File.pathSeparator + Files.readString(list).strip();
    } catch (IOException e) {
      throw new QuickstartException(
          "module " + module + " isn't built (no " + list + "): start me with Maven, with -am", e);
    }
  }
}
