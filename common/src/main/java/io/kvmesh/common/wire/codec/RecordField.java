package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.DefaultValue;
import io.kvmesh.common.wire.Extension;
import io.kvmesh.common.wire.FormatNumber;
import io.kvmesh.common.wire.Formats;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A field of a message. */
final class RecordField {

  private final String name;
  private final byte[] nameBytes;
  private final ValueCodec codec;
  private final MethodHandle getter;
  private final boolean extension;
  private final boolean required;
  private final @Nullable Object absent;

  RecordField(RecordComponent component, MethodHandle getter, ValueCodec codec) {
    this.name = snakeCase(component.getName());
    this.nameBytes = name.getBytes(StandardCharsets.UTF_8);
    this.codec = codec;
    this.getter = getter;
    this.extension = component.isAnnotationPresent(Extension.class);
    DefaultValue value = component.getAnnotation(DefaultValue.class);
    boolean format = component.isAnnotationPresent(FormatNumber.class);
    this.required = value == null && !extension && !format;
    this.absent =
        format ? Integer.valueOf(Formats.CURRENT) : value == null ? null : parse(component, value);
  }

  /** {@code peerInitUrl} is {@code peer_init_url}. */
  private static String snakeCase(String camelCase) {
    return camelCase.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static @Nullable Object parse(RecordComponent component, DefaultValue value) {
    String text = value.value();
    if (text.isEmpty() && Types.isNullable(component.getAnnotatedType())) {
      return null;
    }
    Class<?> type = component.getType();
    if (type == List.class) {
      return List.of();
    }
    if (type == Map.class) {
      return Map.of();
    }
    if (type == String.class) {
      return text;
    }
    if (type == boolean.class || type == Boolean.class) {
      return Boolean.valueOf(text);
    }
    if (type == int.class) {
      return Integer.valueOf(text);
    }
    if (type == long.class) {
      return Long.valueOf(text);
    }
    throw new IllegalArgumentException("No default for " + component);
  }

  String name() {
    return name;
  }

  byte[] nameBytes() {
    return nameBytes;
  }

  ValueCodec codec() {
    return codec;
  }

  boolean isRequired() {
    return required;
  }

  /** The value when the field is absent and not required. */
  @Nullable Object absent() {
    return absent;
  }

  @Nullable Object get(Object owner) {
    try {
      return (Object) getter.invokeExact(owner);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("A record's accessor threw a checked exception", e);
    }
  }

  /** Whether the value is written: an extension that is null isn't. */
  boolean isWritten(@Nullable Object value) {
    return !extension || value != null;
  }
}
