/** What is wrong with the settings of a program. */
@NullMarked
package io.kvmesh.common.settings;

import org.jspecify.annotations.NullMarked;
