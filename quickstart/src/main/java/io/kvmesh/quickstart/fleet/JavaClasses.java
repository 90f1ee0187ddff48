package io.kvmesh.quickstart.fleet;

import java.util.List;

/**
 * Where a JVM finds a program's classes.
 *
 * @param path the class path
 * @param options what else it is told about them, before its class path
 */
record JavaClasses(String path, List<String> options) {

  JavaClasses {
    options = List.copyOf(options);
  }

  JavaClasses(String path) {
    this(path, List.of());
  }
}
