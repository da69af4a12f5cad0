"""Lessons as data, and the engine that plays them: short games with scripted luck and a scripted opponent."""

from clerestory.server.lessons.course import Course, NotAllowed, lesson, lessons
from clerestory.server.lessons.lesson import BadLesson, Lesson, NoLesson

__all__ = ["BadLesson", "Course", "Lesson", "NoLesson", "NotAllowed", "lesson", "lessons"]
