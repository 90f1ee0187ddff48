package io.kvmesh.quickstart;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says in a few words why a file can't be read or written. */
public final class IoFault {

  private IoFault() {}

  public static String reason(Exception fault) {
    return switch (fault) {
      case NoSuchFileException e -> "no such file or folder: " + e.getFile();
      case AccessDeniedException e -> "not allowed: " + e.getFile();
      case NotDirectoryException e -> "not a folder: " + e.getFile();
      case FileSystemException e when e.getReason() != null -> e.getReason() + ": " + e.getFile();
      default -> String.valueOf(fault.getMessage()).lines().findFirst().orElse("unknown fault");
    };
  }
}
