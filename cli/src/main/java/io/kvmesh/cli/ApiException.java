package io.kvmesh.cli;

import org.jspecify.annotations.Nullable;

/** Why a controller's answer isn't one. The message is for people and names the address. */
@SuppressWarnings("serial")
abstract sealed class ApiException extends Exception {

  private ApiException(String message) {
    super(message);
  }

  /** The controller was reached and refuses; the message is its reason. */
  static final class Refused extends ApiException {

    private final int status;

    Refused(int status, String reason) {
      super(reason);
      this.status = status;
    }

    /** Whether the controller doesn't know what was asked for. */
    boolean isUnknown() {
      return status == 404;
    }

    /** Whether the request makes no sense, not the controller's state. */
    boolean isTheAskersFault() {
      return status < 500;
    }
  }

  /** Nothing answers there, or not in time, or it isn't a controller, or isn't trusted. */
  static final class Unreachable extends ApiException {

    private final boolean sent;
    private final ServerTrust.@Nullable BadCertificateException certificate;

    private Unreachable(
        String message, boolean sent, ServerTrust.@Nullable BadCertificateException certificate) {
      super(message);
      this.sent = sent;
      this.certificate = certificate;
    }

    /** There was no connection. */
    static Unreachable notSent(String url, String reason) {
      return new Unreachable(url + ": " + reason, false, null);
    }

    /** It shows a certificate that isn't good, so nothing was asked. */
    static Unreachable badCertificate(String url, ServerTrust.BadCertificateException bad) {
      return new Unreachable(url + ": " + bad.what() + ": " + bad.change(), false, bad);
    }

    /** The request is on its way, and may have been carried out. */
    static Unreachable sent(String url, String reason) {
      return new Unreachable(url + ": " + reason, true, null);
    }

    /** The same of what changes something, so that who asked looks before they ask again. */
    Unreachable perhapsDone() {
      return new Unreachable(getMessage() + "; it may have been carried out", sent, certificate);
    }

    /** Why its certificate isn't good; null if that isn't the reason. */
    ServerTrust.@Nullable BadCertificateException certificate() {
      return certificate;
    }

    /** Whether the controller may have got the request. */
    boolean isSent() {
      return sent;
    }
  }
}
