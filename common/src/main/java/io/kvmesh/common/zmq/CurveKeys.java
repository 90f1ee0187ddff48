package io.kvmesh.common.zmq;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Base64;
import javax.crypto.KeyAgreement;

/**
 * The key pair of a fleet: each of its programs has it, as client and as server, and lets in nobody
 * who hasn't. Curve25519, as CURVE of ZeroMQ uses it (RFC 26).
 */
public final class CurveKeys {

  private static final int KEY_BYTES = 32;
  private static final BigInteger BASE_POINT = BigInteger.valueOf(9);

  private final byte[] secretKey;
  private final byte[] publicKey;

  private CurveKeys(byte[] secretKey) throws GeneralSecurityException {
    this.secretKey = secretKey.clone();
    this.publicKey = publicOf(secretKey);
  }

  /**
   * Of a secret key.
   *
   * @param secretKey any 32 bytes that nobody can guess
   */
  public static CurveKeys of(byte[] secretKey) {
    if (secretKey.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "A key has %d bytes, got %d".formatted(KEY_BYTES, secretKey.length));
    }
    try {
      return new CurveKeys(secretKey);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JDK has no X25519", e);
    }
  }

  /**
   * Of the secret key in a file, as base64, such as {@code openssl rand -base64 32} writes it.
   *
   * @throws IOException if the file can't be read or doesn't hold a key
   */
  public static CurveKeys read(Path file) throws IOException {
    String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
    try {
      return of(Base64.getDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      throw new IOException("it must hold 32 bytes as base64 and nothing else", e);
    }
  }

  /** A multiple of the base point. */
  private static byte[] publicOf(byte[] secretKey) throws GeneralSecurityException {
    KeyFactory keys = KeyFactory.getInstance("X25519");
    PrivateKey secret =
        keys.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, secretKey));
    PublicKey base =
        keys.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, BASE_POINT));
    KeyAgreement multiplication = KeyAgreement.getInstance("X25519");
    multiplication.init(secret);
    multiplication.doPhase(base, true);
    return multiplication.generateSecret();
  }

  byte[] secretKey() {
    return secretKey.clone();
  }

  /** May be known to all; who hasn't the secret one has no use of it. */
  public byte[] publicKey() {
    return publicKey.clone();
  }

  /** Tells nothing of the keys. */
  @Override
  public String toString() {
    return "CurveKeys";
  }
}
