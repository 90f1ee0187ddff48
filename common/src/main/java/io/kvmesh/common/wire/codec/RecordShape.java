package io.kvmesh.common.wire.codec;

import io.kvmesh.common.wire.codec.WireFormatException.Code;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A record taken apart once: how to make one, and its fields in order. */
final class RecordShape {

  private static final MethodType MAKE = MethodType.methodType(Object.class, Object[].class);
  private static final MethodType GET = MethodType.methodType(Object.class, Object.class);

  private final MethodHandle maker;
  private final List<RecordField> fields;

  RecordShape(Class<?> type, Function<RecordComponent, ValueCodec> codecs) {
    RecordComponent[] components = type.getRecordComponents();
    this.fields =
        Arrays.stream(components)
            .map(
                component -> new RecordField(component, getter(component), codecs.apply(component)))
            .toList();
    this.maker = maker(type, components);
  }

  private static MethodHandle getter(RecordComponent component) {
    try {
      return MethodHandles.publicLookup().unreflect(component.getAccessor()).asType(GET);
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException("A message's record is public: " + component, e);
    }
  }

  private static MethodHandle maker(Class<?> type, RecordComponent[] components) {
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      return MethodHandles.publicLookup()
          .findConstructor(type, MethodType.methodType(void.class, types))
          .asSpreader(Object[].class, types.length)
          .asType(MAKE);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("A message's record is public: " + type, e);
    }
  }

  List<RecordField> fields() {
    return fields;
  }

  Object make(WireReader in, @Nullable Object[] values) throws WireFormatException {
    try {
      return (Object) maker.invokeExact(values);
    } catch (IllegalArgumentException e) {
      throw in.fault(Code.INVALID_VALUE, String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("A record's constructor threw a checked exception", e);
    }
  }
}
