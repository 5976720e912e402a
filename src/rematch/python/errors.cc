// SPDX-License-Identifier: Apache-2.0
// The exceptions of the module, one for each ErrorCode.
#include <array>
#include <exception>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "rematch/base/check.h"
#include "rematch/python/bindings.h"
#include "rematch/python/or_raise.h"

namespace nb = nanobind;

namespace rematch {
namespace {

struct ExceptionClass {
  ErrorCode code;
  const char* name;
  PyObject** also;  // What a Python programmer would catch.
  const char* doc;
};

// In the order of ErrorCode.
const std::array<ExceptionClass, 6> kClasses = {{
    {ErrorCode::kInvalidArgument, "InvalidArgument", &PyExc_ValueError,
     "A number, name or option that makes no sense."},
    {ErrorCode::kInvalidGraph, "InvalidGraph", &PyExc_ValueError,
     "A graph that breaks a rule of the model."},
    {ErrorCode::kInvalidPlan, "InvalidPlan", &PyExc_ValueError,
     "A plan that replay refuses."},
    {ErrorCode::kOutOfRange, "OutOfRange", &PyExc_ValueError,
     "A number that is too large to work with."},
    {ErrorCode::kParse, "ParseError", &PyExc_ValueError,
     "Text that is not in the expected format."},
    {ErrorCode::kIo, "IoError", &PyExc_OSError,
     "A file that cannot be read or written."},
}};

// The classes, as long as the interpreter lives.
std::array<PyObject*, kClasses.size()> raised;
PyObject* internal_error = nullptr;

PyObject* add_class(nb::module_& module, const char* name, nb::handle bases,
                    const char* doc) {
  const std::string full =
      nb::cast<std::string>(module.attr("__name__")) + "." + name;
  PyObject* type =
      PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw nb::python_error();
  module.attr(name) = nb::handle(type);
  return type;
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RaisedError& error) {
    PyErr_SetString(raised[static_cast<std::size_t>(error.code())],
                    error.what());
  } catch (const InternalError& error) {
    PyErr_SetString(internal_error, error.what());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  PyObject* error =
      add_class(module, "Error", PyExc_Exception,
                "What went wrong in the world outside, in one sentence.");
  for (const ExceptionClass& one : kClasses) {
    const nb::tuple bases =
        nb::make_tuple(nb::handle(error), nb::handle(*one.also));
    raised[static_cast<std::size_t>(one.code)] =
        add_class(module, one.name, bases, one.doc);
  }
  internal_error = add_class(module, "InternalError", PyExc_RuntimeError,
                             "A bug in Rematch: please report it.");
  nb::register_exception_translator(translate);
}

}  // namespace rematch
