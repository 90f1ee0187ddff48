/** The controller. */
@NullMarked
package io.kvmesh.controller;

import org.jspecify.annotations.NullMarked;
