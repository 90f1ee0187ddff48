package io.kvmesh.common.wire.codec;

import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** What reflection tells of a component's type. */
final class Types {

  private Types() {}

  static boolean isNullable(AnnotatedType type) {
    return type.isAnnotationPresent(Nullable.class);
  }

  /** The class without type arguments. */
  static Class<?> rawClass(AnnotatedType type) {
    Type plain = type.getType();
    return (Class<?>) (plain instanceof ParameterizedType generic ? generic.getRawType() : plain);
  }

  static AnnotatedType argument(AnnotatedType type, int index) {
    return ((AnnotatedParameterizedType) type).getAnnotatedActualTypeArguments()[index];
  }
}
