package io.kvmesh.common.wire;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The format number of a message of ours: 1 when absent; a higher one than {@link Formats#CURRENT}
 * is refused.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface FormatNumber {}
