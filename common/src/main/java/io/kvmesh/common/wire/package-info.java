/**
 * What all message families share: a message is a record, its components are its fields,
 * annotations say what differs from a plain field. See the codec package for the rules of the
 * bytes.
 */
@NullMarked
package io.kvmesh.common.wire;

import org.jspecify.annotations.NullMarked;
