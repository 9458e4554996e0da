/*
 * scan.h
 *	  What other functions share with scans.
 */
#ifndef GPUCOMPACT_SCAN_H
#define GPUCOMPACT_SCAN_H

#include "element.h"

extern const ElementValue scan_neutral[SCAN_OPERATORS][ELEMENT_KINDS];

#endif							/* GPUCOMPACT_SCAN_H */
