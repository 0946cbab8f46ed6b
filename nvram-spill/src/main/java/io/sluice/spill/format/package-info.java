/**
 * What an output looks like on the medium: runs, index, identity, place and trailer, and how they
 * are checked.
 */
package io.sluice.spill.format;
